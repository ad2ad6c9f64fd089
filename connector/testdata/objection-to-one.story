# objection-to-one
# An objection of the marketplace to one entry is its own: the others are in the shop and reported by the same run.
list p[1-5]
market object "access denied" p3 on=content
run                        -> exit 1 created 4 reported 4 pending 1 seconds <=60; shop p3 none; state p3 pending
market heal
market object "Variable $id got an invalid value" p3 on=report
run                        -> exit 1 created 1 refused 1 seconds <=60; shop p3 on
market heal
run                        -> exit 0; reported p3 success
list q[1-3]
market object "access denied" q2 on=look
run                        -> exit 1 created 3 reported 2 seconds <=60; reported q3 success once
market heal
run                        -> exit 0; reported q2 success once
