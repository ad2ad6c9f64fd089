# shop-away-while-much-is-asked
# What was asked for while the shop was down is read and written once when it is back, however often it was named.
list p[1-12] stock=5
start
wait 10m
shop-fails retry wide text=down
supply p[1-12] stock=6
webhook p[1-12]
wait 2m                    -> status "down"
supply p[1-12] stock=7
webhook p[1-12]
wait 15s
webhook p[1-12]
webhook p[1-12] unsigned
wait 10m
shop-works
wait 10m                   -> shop p1 stock=7; shop p12 stock=7; wrote p12 stock; reads p12=<=1
stop
