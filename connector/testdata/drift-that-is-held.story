# drift-that-is-held
# Prices of the merchant's that are held stay until they are approved, though the list grows or some are taken back.
with lists observes
list p[1-30] msrp=20 stock=5
run                        -> created 30
wait 1h
hand p1 price=5
hand p2 price=5
hand p3 price=5
hand p4 price=5
hand p5 price=5
hand p6 price=5
hand p7 price=5
hand p8 price=5
hand p9 price=5
hand p10 price=5
hand p11 price=5
hand p12 price=5
plan full                  -> holds p1; holds p12
run full                   -> exit 1 held 12; shop p1 price=5
supply p1 msrp=21
supply p2 stock=7
run                        -> shop p1 price=5; shop p2 price=5 stock=7
wait 1h
hand p1 price=20
list q[1-40]
run full                   -> exit 1 held 11; shop p1 price=21; shop p2 price=5; shop p12 price=5
approve kind=drift
run                        -> exit 0 held 0; shop p2 price=20; shop p12 price=20
