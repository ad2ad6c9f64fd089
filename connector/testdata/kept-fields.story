# kept-fields
# Fields of PUBSYNC_SHOP_KEEP are written at creation and the merchant's from then on.
set SHOP_KEEP=price,title
list lamp msrp=20
run                        -> created 1; shop lamp price=20
supply lamp msrp=22 title="Lamp 2" stock=3
run                        -> updated 1; shop lamp price=20 title=Lamp stock=3
