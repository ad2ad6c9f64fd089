# correction-that-does-not-stay
# A price that the shop changes each time that it is put right is left after three tries and told; others are not.
with lists observes
list p[1-2] msrp=20
run                        -> created 2
wait 1h
hand p1 price=5
run full                   -> shop p1 price=20
wait 1h
hand p1 price=5
run full                   -> shop p1 price=20
wait 1h
hand p1 price=5
run full                   -> shop p1 price=20
wait 1h
hand p1 price=5
hand p2 price=5
run full                   -> exit 0; shop p1 price=5; shop p2 price=20; state p1 live
status left":1
