# change-behind-a-report
# A change that comes while a product is read, written or reported reaches the shop, in the last case by a refresh.
set SWEEP_VARIANTS=off
set SWEEP_SCHEDULE="7 * * * *"
start
wait 5s
list p[1-3] stock=5
market delay 5s on=content next=1
webhook p1
wait 2s
supply p1 stock=2
wait 1m                    -> shop p1 stock=2; reported p1 success once
shop-fails wait=5s on=publish for=p2
webhook p2
wait 2s
supply p2 stock=2
wait 50s                    -> shop p2 stock=2; reported p2 success once
market delay 5s on=report next=1
webhook p3
wait 2s
supply p3 stock=2
wait 10s                   -> reported p3 success once
stop
wait 25h
run                        -> exit 0; shop p3 stock=2; reported p3 success once
