# idle-run-and-the-shop
# A run with nothing to write tells of a shop that cannot be used; a marketplace that cannot comes before it.
list lamp
run                        -> exit 0
shop-fails block wide on=check text="the key is refused"
plan                       -> nothing
run                        -> exit 4 seconds <=5 requests <=4
shop-works
shop-fails retry wide on=check text="connection refused"
run patience=1m            -> exit 4 seconds <=180
shop-works
shop-fails retry wide on=check after=1h text="maintenance"
run                        -> exit 4 seconds <=5
market revoke
run                        -> exit 3
market heal
shop-works
shop-fails retry wide on=check times=2
run                        -> exit 0
