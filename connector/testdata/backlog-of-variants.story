# backlog-of-variants
# Very many variants that change at once keep no new entry waiting, and are all read in the end.
# long
list p[1-300] variants=3
run patience=60m           -> created 300
start
wait 1h
supply p[1-300] stock=9 quiet
list lamp
wait 3m                    -> shop lamp on; shop p300 stock=5; reads p1=<=1
wait 1h                    -> shop p1 stock=9; shop p150 of=2 stock=9; shop p300 of=3 stock=9
stop
