# hidden-by-hand-for-long
# What is taken out of sale by hand is failed at the look that finds it, success once shown, and on sale when a person
# asks.
with lists
list p[1-3]
run                        -> created 3
wait 1h
hand p1 hide
run full                   -> exit 1 blocked 1; reported p1 failed twice; explain p1 "pubsync retry p1"
supply p1 stock=7
wait 23h
run full                   -> blocked 1; shop p1 off stock=5; reported p1 failed twice
hand p1 show
run full                   -> exit 0; shop p1 on stock=7; reported p1 success 3
wait 1h
hand p1 hide
run full                   -> blocked 1; shop p1 off
retry p1
run                        -> exit 0; shop p1 on; reported p1 success 5
