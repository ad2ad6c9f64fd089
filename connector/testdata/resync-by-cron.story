# resync-by-cron
# A run from cron enumerates when the last enumeration is older than its schedule, and finds removals by itself.
list lamp
list chair
list table
run                        -> created 3
unlist lamp
run                        -> withdrawn 0
wait 61m
run                        -> withdrawn 1; shop lamp off
