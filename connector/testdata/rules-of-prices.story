# rules-of-prices
# Another rule is applied to what is on sale without reading it again; a plan says what a shop costs that takes no figures.
with figures
list lamp cost=10 msrp=20
list chair cost=10 msrp=40
run                        -> created 2
set PRICE_MARKUP_PERCENT=10
plan                       -> change lamp price 22.00; change chair price 44.00; readings 0
run                        -> updated 2; shop lamp price=22; shop chair price=44; reads lamp=0
set PRICE_ENDING=.95
run                        -> shop lamp price=22.95; shop chair price=44.95
set STOCK_BUFFER=2
run                        -> shop lamp stock=3
with lists
set PRICE_MARKUP_PERCENT=20
plan                       -> change lamp price 24.95; readings 2
run                        -> updated 2; reads lamp=1 chair=1
