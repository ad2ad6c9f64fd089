# refused-and-throttled
# What the shop refused and the supplier changed since is tried by the next run, though the marketplace throttled the last.
list lamp desk
shop-fails reject for=lamp text=title
run                        -> rejected 1
market throttle on=content
shop-works
supply lamp title=Better
run                        -> exit 3
market heal
run                        -> exit 0; shop lamp on title=Better
shop-fails block for=lamp text=category
supply lamp title=Best
start
wait 1m
state lamp blocked
market revoke
shop-works
retry lamp
wait 1h
market heal
run                        -> exit 0; state lamp live
stop
