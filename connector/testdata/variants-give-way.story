# variants-give-way
# While very many changed variants are listed, the next sweep of the import list goes first, and goes on with them.
set SWEEP_SCHEDULE="@every 10s"
list p[1-100] variants=10
run patience=120m          -> created 100
start
wait 5m
supply p[1-100] stock=9 quiet
wait 12s
list lamp
wait 30s                   -> shop lamp on
wait 20m                   -> shop p100 of=10 stock=9
stop
