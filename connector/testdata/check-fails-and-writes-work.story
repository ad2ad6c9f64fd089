# check-fails-and-writes-work
# Where the shop's check fails and its writes work, they go on: the shop is tried by them when a pause has run out.
list lamp chair
run                        -> created 2
start
wait 1m
shop-fails retry wide on=publish text=busy times=1
shop-fails retry wide on=check text=broken
supply chair stock=3
webhook chair
wait 20m                   -> shop chair stock=3
stop
