# address-of-a-write
# Where a shop lists nothing, the address that a write answers with is reported when it is another one.
list lamp
run                        -> reported lamp success once at=https://shop.example/
shop-moves https://new.example
supply lamp msrp=21
run                        -> updated 1 reported 1; reported lamp success twice at=https://new.example/
