# moved-shop
# A shop that moves to another domain is reported with its new addresses; a private name replaces no public one.
with lists
list lamp
run                        -> reported lamp success once at=https://shop.example/
wait 1h
shop-moves https://new.example
run full                   -> exit 0; reported lamp success twice at=https://new.example/
shop-moves http://10.0.0.7
run full                   -> reported lamp success twice at=https://new.example/
supply lamp msrp=21
run                        -> exit 0; shop lamp price=21; reported lamp success twice at=https://new.example/
