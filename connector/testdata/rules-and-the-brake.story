# rules-and-the-brake
# The brake judges together what other rules and the supplier do to a price: the few that move far are held, the others follow.
list p[1-5] cost=10 msrp=20
supply p[2-5] msrp=28
run                        -> created 5
set PRICE_ADD=12
plan                       -> holds p1; change p2 price 40.00
run                        -> exit 1 held 1 updated 4; shop p1 price=20; shop p2 price=40
approve p1
run                        -> exit 0 held 0 updated 1; shop p1 price=32
supply p1 msrp=40
set PRICE_ADD=20
run                        -> held 1; shop p1 price=32; shop p2 price=48
