# refused-reports-of-many
# Very many refused reports hold neither a run nor a new report, and an enumeration finds them once they are taken.
list p[1-40]
market refuse p[1-40]
list q1
run                        -> exit 1 created 41 refused 40 reported 1 pending 0
run                        -> exit 1 refused 40 seconds <=60; reported p1 syncing <=6
start
wait 1h
list q2
webhook q2
wait 10s                   -> reported q2 success once
stop
market heal
run full                   -> exit 0 refused 0; reported p1 success; reported p40 success
