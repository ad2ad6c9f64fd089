# details-denied
# Brand and details that are denied for once stay as they are in the shop, and stock follows all the while.
list lamp brand=Ours weight=2 stock=5
run                        -> created 1; shop lamp brand=Ours
market object "access denied for field product on type Listing" on=content next=1
supply lamp stock=6
run                        -> exit 0; wrote lamp stock; shop lamp brand=Ours stock=6
market object "Cannot query field madeIn on type ProductVariant." on=content next=1
supply lamp stock=7
run                        -> exit 0; wrote lamp stock; shop lamp brand=Ours stock=7
wait 2h
run full                   -> exit 0; wrote lamp nothing
