# drift-beside-other-holds
# What is not on sale does not count for the brake of drift, and an approval beside it stays.
with lists observes
list p[1-30] msrp=20 stock=5
list q[1-40] msrp=20 cost=90
run                        -> created 30; held 40
wait 1h
hand p[1-9] price=15
hand p10 p11 p12 price=15
run full                   -> held 52; shop p1 price=15
supply p1 msrp=40
run                        -> held 52
approve p1 kind=price
run                        -> held 52
approve kind=drift
run                        -> held 40; shop p1 price=40; shop p2 price=20
