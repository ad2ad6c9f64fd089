# webhooks-in-a-stream
# Unsigned webhooks that keep coming lead to a look a minute; a person's word and a signed one do not wait for them.
list lamp
start
wait 15s
webhook lamp unsigned
wait 20s
webhook lamp unsigned
wait 5s
webhook lamp unsigned      
wait 5s                    -> reads lamp=0
supply lamp stock=2 quiet
webhook lamp unsigned
wait 5s                    -> shop lamp stock=5
webhook lamp
wait 10s                   -> shop lamp stock=2
supply lamp stock=3 quiet
retry lamp
wait 5s                    -> shop lamp stock=3
stop
