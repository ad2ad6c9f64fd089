# backlog-cut-off
# What a run has no time for after the figures of a backlog is owed, and the next run brings it without a change.
with figures
list p[1-60]
run patience=60m           -> created 60
supply p[1-60] stock=9 title=New
shop-fails wait=5m on=publish
run patience=1m            -> exit 1; shop p1 stock=9 title=P1; shop p60 stock=9 title=P60
unlist p60
shop-works
run patience=60m           -> exit 0; shop p1 title=New; shop p59 title=New stock=9
run full                   -> exit 0; shop p60 off title=P60
