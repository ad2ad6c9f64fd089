# drift-declined
# A price that the merchant kept by a decline stays when the listing was away for a while.
with lists observes
list p[1-30] cost=1 msrp=20 stock=5
run                        -> created 30
wait 1h
hand p[1-9] price=15
hand p10 p11 p12 price=15
run full                   -> held 12
decline kind=drift
run                        -> held 0
supply p1 listing=none
run                        -> shop p1 off
supply p1 listing=back
run                        -> held 0; shop p1 on price=15
