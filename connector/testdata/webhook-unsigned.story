# webhook-unsigned
# An unsigned webhook is a hint: looked at once a minute at most, and never before another's mark.
start
wait 5s
list lamp
webhook lamp unsigned      -> answers 204
wait 65s                   -> shop lamp on; reported lamp success once
supply lamp stock=2
webhook lamp unsigned
wait 90s                   -> shop lamp stock=2
stop
