# lost-store-believes-the-shop
# What the shop shows counts as written: the brake holds prices, sold pieces stay sold, what is hidden stays hidden.
with lists observes
list lamp msrp=20 stock=10
list chair
run                        -> created 2
wait 1h
hand lamp sold=4
hand chair hide
lose
supply lamp msrp=60
run                        -> exit 1 held 1 created 0; shop lamp on price=20 stock=6; shop chair off
state lamp held; state chair blocked "by hand"
approve lamp
retry lamp reset
run                        -> shop lamp price=60 stock=10; shop chair off
