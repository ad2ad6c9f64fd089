# rules-not-followed-yet
# A run that could not follow other rules does not end well, and the next one follows them.
list p[1-3] cost=10 msrp=20
run                        -> created 3
set PRICE_MARKUP_PERCENT=10
shop-fails retry on=publish text=no
run patience=5s            -> exit 1 pending 3; shop p1 price=20
wait 30s
shop-works
run                        -> exit 0 updated 3; shop p1 price=22; shop p3 price=22
set SHOP_KEEP=price
set PRICE_MARKUP_PERCENT=20
run                        -> exit 0; shop p1 price=22
set SHOP_KEEP=
run                        -> exit 0; shop p1 price=24
run                        -> exit 0 updated 0
