# listing-gone-kept
# What nobody can order any more is off sale and failed even where removed entries are kept, and no lost answer loses that.
set ON_REMOVED=keep
list p[1-5]
run                        -> created 5
supply p1 listing=none
supply p2 variants=0
shop-fails cut=before for=p1 times=1
market cut on=report next=1
run                        -> shop p1 off; shop p2 off
run                        -> reported p1 failed; reported p2 failed
run full                   -> reported p1 failed twice
supply p1 status=success
run full                   -> reported p1 failed 3 times
supply p1 listing=back
run                        -> shop p1 on; reported p1 success
