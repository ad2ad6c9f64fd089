# rules-of-prices
# Another rule is applied to what is on sale without reading it again.
with figures
list lamp cost=10 msrp=20
list chair cost=10 msrp=40
run                        -> created 2
set PRICE_MARKUP_PERCENT=10
plan                       -> change lamp price 22.00; change chair price 44.00
run                        -> updated 2; shop lamp price=22; shop chair price=44; reads lamp=0
set PRICE_ENDING=.95
run                        -> shop lamp price=22.95; shop chair price=44.95
set STOCK_BUFFER=2
run                        -> shop lamp stock=3
