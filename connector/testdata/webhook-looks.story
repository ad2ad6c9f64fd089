# webhook-looks
# Signed webhooks for one publication lead to one look in ten seconds, and the last of them is never dropped.
list lamp
start
wait 15s
webhook lamp
wait 1s
supply lamp stock=2 quiet
webhook lamp
wait 4s                    -> reads lamp=0
wait 10s                   -> shop lamp stock=2
stop
