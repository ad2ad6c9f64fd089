# denied-reports-under-a-worker
# A worker that may not report goes on with the shop, says so, asks ever more seldom, and reports all once it may.
list p[1-30]
market deny
start
wait 3h                    -> shop p30 on; status "may not report"
supply p1 stock=7
wait 3h                    -> shop p1 stock=7; reported p1 nothing
explain p1 "may not report"
market heal
wait 2h                    -> reported p1 success once; reported p30 success once; status not "may not report"
stop
