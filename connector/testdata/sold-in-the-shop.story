# sold-in-the-shop
# What the shop has sold is not put back by a change of another figure, nor by a listing that leaves and comes back; a
# fall of the supplier's figure shows it.
with lists observes
list lamp stock=8
list chair
run                        -> created 2; shop lamp stock=8
hand lamp sold=6
run full                   -> exit 0; shop lamp stock=2
supply lamp listing=none
run                        -> withdrawn 1; shop lamp off
supply lamp listing=back
run                        -> shop lamp on stock=2
supply lamp msrp=21
run                        -> wrote lamp price; shop lamp price=21 stock=2
supply lamp stock=7
run                        -> shop lamp stock=2
supply lamp stock=2
run                        -> shop lamp stock=2
supply lamp stock=50
run                        -> shop lamp stock=50
