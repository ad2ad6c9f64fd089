# sold-out-and-held
# A price that waits for a person puts nothing on sale that is hidden while it is sold out.
set ON_SOLD_OUT=hide
list lamp stock=3 cost=8.00 msrp=20.00
run                        -> created 1
supply lamp stock=0
run                        -> shop lamp off
supply lamp msrp=50.00
run                        -> exit 1; shop lamp off; state lamp held
approve lamp
run                        -> exit 0; shop lamp off
supply lamp stock=4
run                        -> shop lamp on stock=4 price=50.00
