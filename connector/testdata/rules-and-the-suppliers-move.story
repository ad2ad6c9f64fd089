# rules-and-the-suppliers-move
# A decision on rules is for the prices that the rules move: one that the supplier moved too far stays held by itself.
list p[1-5] cost=10 msrp=20
run                        -> created 5
supply p1 msrp=90
run                        -> held 1
set PRICE_MARKUP_PERCENT=60
run                        -> held 5
approve kind=rules
supply p2 msrp=80
run                        -> exit 1 held 2; shop p1 price=20; shop p2 price=20; shop p3 price=32
approve p1
run                        -> held 1; shop p1 price=144
