# blocked-over-an-outage
# What a shop blocked is tried again by itself, when the shop answers at last or has taken another product.
list p[1-2]
shop-fails block wide text="the key is refused"
run                        -> exit 4
shop-works
shop-fails retry on=check text="no answer"
shop-fails retry wide on=publish text="no answer"
start
wait 10m                   -> shop p1 none
shop-works
wait 20m                   -> shop p1 on; shop p2 on
shop-fails block wide text="the key is refused"
supply p[1-2] stock=7
webhook p[1-2]
wait 1m                    -> status "the key is refused"
shop-works
shop-fails retry on=check text="no answer"
list p3
run patience=1m
wait 1m                    -> shop p3 on; shop p1 stock=7; shop p2 stock=7
stop
