# no-msrp-below-cost
# What has lost its recommended prices stays as it was, but not below what it costs by now.
set PRICE_VAT_PERCENT=21
list lamp cost=10 msrp=20
run                        -> exit 0 created 1
supply lamp msrp=
run                        -> exit 1 rejected 1; shop lamp price=20
supply lamp cost=17
run                        -> exit 1; shop lamp off; reported lamp failed
supply lamp msrp=25
run                        -> exit 0; shop lamp on price=25; reported lamp success
