# webhook-of-a-product
# An event of a product is seen though updatedAt does not move; one that says falsely that it is gone changes nothing.
set SWEEP_SCHEDULE="0 3 * * *"
list p[1-6]
start
wait 5m
supply p1 msrp=21 quiet
webhook p1 product         -> answers 204
wait 10s                   -> shop p1 price=21
unlist p2
webhook p2 p3 product
wait 10s                   -> state p2 withdrawn; shop p2 off; state p3 live
stop
