# webhook-looks-of-products
# Signed webhooks lead to one look in ten seconds, whether they name the publication or its product, and first come is
# first served.
set SHOP_CONCURRENCY=1
list p[1-9]
start
wait 5m
supply p9 stock=1 quiet
webhook p9 product
wait 1s                    -> shop p9 stock=1
supply p9 stock=2 quiet
webhook p9 product
wait 4s                    -> reads p9=0
wait 10s                   -> shop p9 stock=2
wait 1m
market delay 5s
supply p[1-8] stock=3 quiet
webhook p8
wait 1s
webhook p7
wait 1s
webhook p6
wait 1s
webhook p[1-5]
wait 7500ms                -> shop p6 stock=3; shop p1 stock=5
stop
