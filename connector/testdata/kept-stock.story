# kept-stock
# A stock that is the merchant's goes back to the shop as it stands there, where the shop stores whole bodies.
with lists observes literal
set SHOP_KEEP=stock
list lamp stock=9
run                        -> created 1; shop lamp stock=9
hand lamp sold=5
wait 25h
run full                   -> exit 0
supply lamp title=Lantern stock=30
run                        -> updated 1; shop lamp title=Lantern stock=4
list desk cost=10 msrp=20 stock=5
run                        -> created 1
supply desk cost=35 msrp=40
run                        -> held 1; shop desk price=20 stock=5; explain desk not "sold out"
