# rules-move-very-many
# What another rule moves by more than the brake lets pass is held, of however many products, and one word decides.
list a cost=10 msrp=20
list b cost=10 msrp=20
list c cost=10 msrp=20
run                        -> created 3
set PRICE_MARKUP_PERCENT=80
run                        -> exit 1 held 3; shop a price=20; shop c price=20
approve kind=price
run                        -> exit 0; shop a price=36; shop b price=36; shop c price=36
