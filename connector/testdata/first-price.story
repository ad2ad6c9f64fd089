# first-price
# A first price that is far from the msrp is held, and nothing of the product reaches the shop until it is approved.
set PRICE_MARKUP_PERCENT=400
list lamp msrp=20
run                        -> exit 1 held 1 created 0; shop lamp none; reported lamp nothing
state lamp held "more than 3 times its msrp"
approve lamp
run                        -> exit 0 created 1; shop lamp price=100; reported lamp success once
