# drift-declined-day
# A declined price is one of the day as any other: the supplier's moves are compared with it.
with lists observes
list p[1-30] msrp=20 stock=5 cost=1
run                        -> created 30
wait 1h
hand p[1-9] price=19
hand p10 p11 p12 price=19
run full                   -> held 12
decline kind=drift
run                        -> exit 0; shop p1 price=19
wait 1h
supply p1 msrp=28
run                        -> held 0; shop p1 price=28
wait 1h
supply p1 msrp=40
run                        -> held 1; shop p1 price=28
