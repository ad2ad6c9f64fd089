# price-brake-by-days
# The price of a day ago counts, whatever moved since.
list lamp cost=1 msrp=100
run                        -> created 1
wait 30h
supply lamp msrp=101
run                        -> held 0
wait 23h
supply lamp msrp=150
run                        -> held 0; shop lamp price=150
wait 70m
supply lamp msrp=220
run                        -> held 1; shop lamp price=150
