# rules-declined
# A declined change of rules leaves each price until the supplier moves it or the rules change again; it is asked once.
list p[1-5] cost=10 msrp=20
run                        -> created 5
set PRICE_MARKUP_PERCENT=60
plan                       -> holds p1
run                        -> exit 1 held 5 updated 0; shop p1 price=20
decline kind=price
run                        -> exit 0 held 0 updated 0; shop p1 price=20
explain p1 "32.00"
supply p1 msrp=18
run                        -> shop p1 price=28.80; shop p2 price=20
set PRICE_MARKUP_PERCENT=10
run                        -> exit 0 updated 5; shop p2 price=22
