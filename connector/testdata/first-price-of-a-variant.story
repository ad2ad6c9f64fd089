# first-price-of-a-variant
# A new variant whose price lies far from what is usual is held back alone; the rest of its product goes on.
list lamp cost=10 msrp=20 stock=5
run                        -> created 1
supply lamp variants=2
supply lamp of=2 cost=95 msrp=20
supply lamp of=1 stock=3
plan                       -> holds lamp
run                        -> exit 1 held 1; shop lamp on variants=1 stock=3; state lamp held "msrp 20 ×"
reported lamp success once
approve kind=first-price
run                        -> exit 0; shop lamp variants=2; shop lamp of=2 price=95; state lamp live
