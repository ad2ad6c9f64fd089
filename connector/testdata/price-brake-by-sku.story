# price-brake-by-sku
# A variant that comes back under another id with the same SKU is judged by its last price.
list lamp variants=2 cost=1 msrp=20
run                        -> created 1
supply lamp of=2 id=another msrp=2
run                        -> held 1; shop lamp of=2 price=20
