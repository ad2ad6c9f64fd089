# a-bad-day
# After a day of outages, lost registrations and a revoked token the shop shows the list, and nobody had to look.
# long
set WEBHOOK_URL=https://127.0.0.1:9/webhooks
set SWEEP_SCHEDULE="7 * * * *"
set RESYNC_SCHEDULE="17 * * * *"
list p[1-16]
start
wait 3h                    -> shop p16 on; registered 1
unlist p1 p2
wait 3h                    -> shop p1 off; shop p2 off
market unregister
list q[1-2]
market server-error next=20
wait 3h                    -> shop q1 on; registered 1
market revoke
supply p[3-9] stock=7
wait 3h                    -> shop p3 stock=5
market heal
relist p1
wait 3h                    -> shop p3 stock=7; shop p1 on
shop-fails retry wide text=down
supply p[3-9] msrp=21
wait 3h                    -> status "down"
shop-works
wait 3h                    -> shop p9 price=21 stock=7; shop p2 off; reported p1 success; status not "down"
stop
run                        -> exit 0 created 0 updated 0
