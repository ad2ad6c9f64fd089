# variants-by-hand
# A variant that somebody deleted is made again; one that was switched off stays off until a person asks.
with lists observes
list p[1-2] variants=2 msrp=20
run                        -> created 2
wait 1h
hand p1 remove
hand p2 off
run full                   -> shop p1 variants=2
supply p2 stock=7
run                        -> exit 0; state p2 live; explain p2 "switched off"
hand p2 of=2 price=5
retry p2
run                        -> exit 0; shop p2 of=2 price=20; explain p2 "on sale again"
