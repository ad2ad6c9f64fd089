# lost-store
# On an empty store a run takes over what the shop lists as ours: nothing is made twice, nothing is reported in vain, and
# what a hand hid stays hidden, also where the shop lists no variants.
# program
with lists
list lamp
list chair
list table
run                        -> created 3
hand table hide
lose
run                        -> exit 1 created 0; calls create=0; shop lamp on; shop table off
reported lamp success once; state lamp live; state table blocked "by hand"; reported table failed
