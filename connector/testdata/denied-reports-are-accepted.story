# denied-reports-are-accepted
# Once the token may report, the first report that is accepted has all that were denied made again.
list p[1-5]
market deny on=report
start
wait 12h                   -> shop p5 on
market heal
list lamp
webhook lamp
wait 15s                   -> reported lamp success; reported p1 success; reported p5 success
stop
