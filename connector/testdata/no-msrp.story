# no-msrp
# A variant without a recommended price is refused, or gets one from its cost where the rule says so.
list lamp variants=2
supply lamp of=2 msrp=
run                        -> exit 0 created 1; shop lamp variants=1; state lamp partial
set PRICE_NO_MSRP=cost
set PRICE_NO_MSRP_MARKUP_PERCENT=50
run                        -> exit 0; shop lamp variants=2; shop lamp of=2 price=15; state lamp live
