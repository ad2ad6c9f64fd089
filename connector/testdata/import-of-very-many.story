# import-of-very-many
# A long import keeps waiting neither a fresh webhook nor the changes of what is on sale.
# long
set SWEEP_SCHEDULE="* * * * *"
list old
run                        -> created 1
list p[1-500]
start
wait 20s
supply old stock=7
list lamp
webhook lamp
webhook old
wait 15s                   -> shop lamp on; shop old stock=7
supply old stock=8
wait 2m                    -> shop old stock=8; shop p500 none
wait 1h                    -> shop p1 on; shop p500 on
stop
