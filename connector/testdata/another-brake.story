# another-brake
# What a brake held is let go by the setting alone where another brake or another rule lets it pass.
set BRAKE_PRICE_PERCENT=50
list p[1-3] cost=10 msrp=20
run                        -> created 3
supply p1 msrp=40
run                        -> held 1; shop p1 price=20
set BRAKE_PRICE_PERCENT=200
plan                       -> change p1 price 40.00
run                        -> exit 0 held 0 updated 1; shop p1 price=40
set PRICE_MARKUP_PERCENT=900
set BRAKE_PRICE_PERCENT=100000
list lamp cost=10 msrp=20
run                        -> held >=1; shop lamp none
set PRICE_MARKUP_PERCENT=0
run                        -> exit 0 held 0; shop lamp price=20; shop p1 price=40
