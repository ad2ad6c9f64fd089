# webhook-of-nothing-known
# An unsigned webhook that names nothing known leads to one light sweep.
start
wait 5s
list lamp
webhook nobody unsigned    -> answers 204
wait 20s                   -> shop lamp on; reported lamp success once
webhook nobody             -> answers 204
stop
