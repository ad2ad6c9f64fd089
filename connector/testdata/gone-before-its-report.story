# gone-before-its-report
# What leaves the list between its reading and its report is withdrawn, and stands as no refused report.
start
wait 5s
list p[1-5]
shop-fails wait=30s on=publish for=p1
webhook p1
wait 10s
unlist p1
wait 1m
stop
run full                   -> exit 0 refused 0; shop p1 off; reported p1 nothing; state p1 withdrawn; reported p2 success once
