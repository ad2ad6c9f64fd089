# refused-reports-give-way
# Very many refused reports that are made again at once, after a restart say, keep no new one waiting.
list p[1-100]
market refuse p[1-100]
run                        -> exit 1 created 100 refused 100
market delay 3s on=report
start
list zebra
webhook zebra
wait 45s                   -> reported zebra success once
stop
