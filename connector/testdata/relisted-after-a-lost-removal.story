# relisted-after-a-lost-removal
# What is listed again is on sale again before it is reported, even where the answer to its removal was lost.
list p[1-3]
run                        -> created 3
unlist p1
shop-fails cut=after on=remove
run full patience=5s       -> shop p1 off
shop-works
relist p1
run                        -> exit 0 reported 1; shop p1 on; state p1 live; reported p1 success twice
set ON_REMOVED=delete
unlist p1
shop-fails cut=after on=remove
run full patience=5s       -> shop p1 none
shop-works
relist p1
run                        -> exit 0 reported 1; shop p1 on; reported p1 success 3 times
