# resync-by-cron
# A run from cron enumerates when the last enumeration is older than its schedule, and finds removals and lost reports.
list lamp
list chair
list table
run                        -> created 3
unlist lamp
supply chair status=syncing
run                        -> withdrawn 0
plan                       -> nothing
wait 61m
plan                       -> withdraw lamp
run                        -> exit 0 withdrawn 1; shop lamp off; reported chair success twice; reads table=0
run                        -> requests <=4 cost <=30
