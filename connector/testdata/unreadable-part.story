# unreadable-part
# A part of a listing in a shape that cannot be read costs itself alone, and the shop keeps what it has of it.
list lamp pictures=https://images.example/a.png,https://images.example/b.png ean=4006381333931 shipping=NL:4.95:3
run                        -> created 1
market odd images category dropshippingShippingDetails ean
supply lamp msrp=21
run                        -> exit 0 updated 1; wrote lamp price; shop lamp price=21 pictures=2 ean=4006381333931
explain lamp "cannot be read"
