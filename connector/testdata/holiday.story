# holiday
# Stock that the merchant set to 0 counts as sold; a reset gives back what the supplier offers.
with lists observes
list lamp stock=5
run                        -> created 1
wait 1h
hand lamp stock=0
run full                   -> wrote lamp nothing; shop lamp stock=0
supply lamp msrp=21
run                        -> shop lamp price=21 stock=0
retry lamp reset
run                        -> shop lamp stock=5
