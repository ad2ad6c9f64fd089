# list-that-fails
# A list of the shop that ends in an error, or never, proves nothing and holds no run beyond its patience.
with lists observes
list p[1-30]
run                        -> created 30
wait 1h
hand p1 delete
hand p2 price=5
shop-fails retry on=list text="no answer"
run full                   -> exit 0 created 0 updated 0 blocked 0; shop p2 price=5; reported p1 success once
shop-works
shop-fails wait=5h on=list
run full patience=1m       -> exit 0 blocked 0 seconds <=90; shop p2 price=5
shop-works
run full                   -> exit 1 blocked 1; shop p1 none; shop p2 price=20; reported p1 failed twice
