# price-brake-by-steps
# Steps that each pass the brake are judged by the price of a day ago too.
list lamp cost=1 msrp=100
run                        -> created 1
supply lamp msrp=60
run                        -> held 0; shop lamp price=60
supply lamp msrp=40
run                        -> held 1; shop lamp price=60
wait 25h
supply lamp msrp=39
run                        -> held 0; shop lamp price=39
