# lost-store-removal
# What a lost store takes over from the shop may be gone from the list: the first run finds it.
with lists
list p[1-6]
run                        -> created 6
unlist p1
lose
market delay 20ms
run                        -> exit 0 created 0 withdrawn 1; shop p1 off; state p1 withdrawn
