# failures-and-what-waits-behind-them
# What fails again and again in a run keeps what waits behind it from its turn for no longer than the patience lasts.
set SHOP_CONCURRENCY=1
list p[1-9]
run full                   -> exit 0 created 9
supply p[1-8] stock=3 msrp=21
shop-fails reject for=p1 on=publish; shop-fails retry for=p1 on=unpublish
shop-fails reject for=p2 on=publish; shop-fails retry for=p2 on=unpublish
shop-fails reject for=p3 on=publish; shop-fails retry for=p3 on=unpublish
shop-fails reject for=p4 on=publish; shop-fails retry for=p4 on=unpublish
shop-fails reject for=p5 on=publish; shop-fails retry for=p5 on=unpublish
shop-fails reject for=p6 on=publish; shop-fails retry for=p6 on=unpublish
shop-fails reject for=p7 on=publish; shop-fails retry for=p7 on=unpublish
shop-fails reject for=p8 on=publish; shop-fails retry for=p8 on=unpublish
market delay 1s
run full patience=1m       -> exit 1 seconds <=300; reads p9=1
