# asked-amid-a-backlog
# What a person asks for waits neither for a backlog of changes nor for a call that hangs.
with figures
set SWEEP_SCHEDULE="* * * * *"
set SHOP_CONCURRENCY=2
list p[1-60]
run patience=60m           -> created 60
start
wait 1h
shop-fails wait=10m for=p1 times=1
supply p[1-60] stock=9
wait 75s
retry p[10-18]
wait 1m                    -> shop p1 stock=5; shop p10 stock=9; shop p18 stock=9
stop
