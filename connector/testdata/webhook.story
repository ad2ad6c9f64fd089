# webhook
# A webhook leads to a look within seconds; what it says is never trusted, and no second look follows its report.
start
wait 5s
list lamp
webhook lamp               -> answers 204
wait 15s                   -> shop lamp on; reported lamp success once
webhook lamp
webhook lamp
wait 1m                    -> calls publish=0; reported lamp success once
webhook nobody             -> answers 204
stop
