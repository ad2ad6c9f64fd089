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
