# rules-change-while-held
# A change of rules while another is held is judged by the prices that stand; a change back leaves nothing to decide.
list p[1-5] cost=10 msrp=20
run                        -> created 5
set PRICE_MARKUP_PERCENT=60
run                        -> held 5
set PRICE_MARKUP_PERCENT=0
run                        -> exit 0 held 0 updated 0; shop p1 price=20
set PRICE_MARKUP_PERCENT=60
run                        -> held 5
set PRICE_MARKUP_PERCENT=90
run                        -> held 5; shop p1 price=20
set PRICE_MARKUP_PERCENT=10
run                        -> exit 0 held 0 updated 5; shop p1 price=22
