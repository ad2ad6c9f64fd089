# sold-out-of-all
# However many products are sold out at once no brake stands in the way, the marketplace is told nothing, and they come back.
set ON_SOLD_OUT=hide
list p[1-15] stock=5
run                        -> created 15
supply p[1-15] stock=0
plan                       -> change p1 listing "off sale"
run                        -> exit 0 held 0 withdrawn 0; shop p1 off; shop p15 off
run full                   -> exit 0 withdrawn 0; state p1 live
supply p[1-15] stock=3
run                        -> exit 0; shop p1 on stock=3; reported p1 success once
