# sold-of-one-variant
# What the shop has sold of one variant stays sold through a change of another.
with lists observes
list lamp variants=2 stock=9
run                        -> created 1
wait 1h
hand lamp of=1 sold=2
run full                   -> exit 0; wrote lamp nothing
supply lamp of=2 stock=77
run                        -> shop lamp of=1 stock=7; shop lamp of=2 stock=77
explain lamp "has sold 2"
