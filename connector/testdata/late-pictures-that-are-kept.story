# late-pictures-that-are-kept
# Pictures that the merchant keeps are written at the creation alone, late ones of it too; what the supplier changes is not.
set SHOP_KEEP=images
list lamp chair pictures=https://images.example/a.png,https://images.example/b.png
shop-fails late
run                        -> created 2; state lamp partial; state chair partial
supply chair pictures=https://images.example/c.png
shop-works
run                        -> exit 0; wrote lamp images; wrote chair nothing; shop lamp pictures=2
run                        -> calls 0; state lamp live; state chair live
