# drift-reported
# A plan names what was changed by hand; PUBSYNC_ON_DRIFT=report tells of it, and neither puts anything right.
with lists observes
list lamp msrp=20 stock=5
run                        -> created 1
wait 1h
hand lamp price=6 stock=99
plan full                  -> change lamp price 20.00; change lamp quantity 5; shop lamp price=6 stock=99
set ON_DRIFT=report
run full                   -> exit 0; wrote lamp nothing; shop lamp price=6 stock=99
explain lamp "the shop has 6: somebody"
retry lamp reset
run                        -> shop lamp price=20 stock=5
wait 1h
hand lamp price=6 stock=99
run full                   -> wrote lamp nothing
set ON_DRIFT=correct
run full                   -> exit 0; wrote lamp price,stock; shop lamp price=20 stock=5
wait 1h
hand lamp price=6
set ON_DRIFT=report
run full                   -> wrote lamp nothing
supply lamp stock=7
run                        -> wrote lamp stock; shop lamp price=6 stock=7
