# plan-of-a-lost-store
# Also on a lost store, on a backup put back and by other rules a plan says what the run after it does.
with lists
list lamp cost=10 msrp=20
list chair cost=10 msrp=20
run                        -> created 2
save
lose
supply lamp msrp=21
plan                       -> change lamp price 21.00
run                        -> exit 0 created 0; shop lamp price=21
put-back
set PRICE_MARKUP_PERCENT=10
supply chair msrp=22
plan                       -> change chair price 24.20
run                        -> exit 0 created 0; shop chair price=24.20; shop lamp price=23.10
plan                       -> nothing
