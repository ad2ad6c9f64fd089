# price-that-comes-back
# A variant whose price vanishes is refused by itself; where it comes back far from what it was it is held as any other.
list lamp variants=2 msrp=20
run                        -> exit 0 created 1
supply lamp of=2 msrp=none
run                        -> exit 0; state lamp partial; shop lamp of=1 price=20
supply lamp of=2 msrp=200
run                        -> exit 1 held 1; shop lamp of=1 price=20
approve lamp
run                        -> exit 0; shop lamp of=2 price=200
