# sku-of-two-suppliers
# Two publications with one SKU: the later gets a suffix, which never changes afterwards.
set SHOP_SKU_PREFIX=W-
list lamp sku=ONE
run                        -> created 1; shop lamp sku=W-ONE
list chair sku=one
run                        -> created 1; shop lamp sku=W-ONE
unlist lamp
supply chair msrp=21
run full                   -> withdrawn 1; shop chair price=21
