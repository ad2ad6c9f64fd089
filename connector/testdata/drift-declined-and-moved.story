# drift-declined-and-moved
# After a decline the price of a day ago counts as before.
with lists observes
list p[1-30] msrp=20 stock=5 cost=1
run                        -> created 30
wait 1h
supply p1 msrp=28
run                        -> shop p1 price=28
wait 1h
hand p[1-9] price=29
hand p10 p11 p12 price=29
run full                   -> held 12
decline kind=drift
run                        -> exit 0; shop p1 price=29
supply p1 msrp=40
run                        -> held 1; shop p1 price=29
