# shop-listed-once-a-day
# The shop is listed once a day however often the worker starts, by each full run, and by no other.
# long
with lists
set SWEEP_SCHEDULE="7 * * * *"
list lamp
start
wait 1h
restart
wait 3h                    -> calls list=0
restart
wait 8h                    -> calls list=0
wait 14h                   -> calls list=1
wait 24h                   -> calls list=1
stop
run                        -> calls list=0
run full                   -> calls list=1
run full                   -> calls list=1
