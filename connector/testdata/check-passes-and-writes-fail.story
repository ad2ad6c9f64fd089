# check-passes-and-writes-fail
# Where the shop's check passes and its writes fail, the shop is said to be in trouble until one succeeds; and where its
# check fails and its writes work, they go on.
list lamp chair
start
wait 1m
shop-fails retry wide on=publish text="no room"
supply lamp stock=2
webhook lamp
wait 10m                   -> status "no room"; calls check=<=12
shop-works
wait 6m                    -> shop lamp stock=2; status not "no room"
shop-fails retry wide on=publish text=busy times=1
shop-fails retry wide on=check text=broken
supply chair stock=3
webhook chair
wait 10m                   -> shop chair stock=3
stop
