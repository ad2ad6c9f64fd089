# drift-of-one-variant
# While a person judges one variant's price in the shop, the other variants follow the supplier.
with lists observes
list p[1-30] cost=10 msrp=20 stock=5 variants=2
run                        -> created 30
wait 1h
hand p[1-9] price=19 of=1
hand p10 p11 p12 price=19 of=1
run full                   -> held 12
supply p1 of=2 cost=24 msrp=25
run                        -> held 12; shop p1 of=2 price=25; shop p1 of=1 price=19
supply p1 of=1 msrp=29
run                        -> held 12; shop p1 of=2 price=25; shop p1 of=1 price=19
approve kind=drift
run                        -> held 0; shop p1 of=1 price=29; shop p2 of=1 price=20
