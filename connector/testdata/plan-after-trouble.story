# plan-after-trouble
# A plan says what the run after it does, whatever the products have been through.
list p[1-9]
shop-fails reject for=p1 text=no
run                        -> rejected 1 created 8
shop-works
retry p1
unlist p2
wait 1m
plan full                  -> create p1; withdraw p2
run full                   -> created 1 withdrawn 1
relist p2
supply p3 stock=77 quiet
wait 25h
plan                       -> change p2 listing; change p3 quantity 77
run                        -> exit 0; shop p2 on; shop p3 stock=77
supply p4 listing=none
plan                       -> withdraw p4
run                        -> withdrawn 1; shop p4 off
supply p4 listing=back
plan                       -> change p4 listing
run                        -> exit 0; shop p4 on
