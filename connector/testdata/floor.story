# floor
# Nothing is sold below its cost with VAT and the least margin.
set PRICE_VAT_PERCENT=21
set PRICE_MIN_MARGIN_PERCENT=10
list lamp cost=20 msrp=20
run                        -> created 1; shop lamp price=26.62
explain lamp "raised to the floor"
