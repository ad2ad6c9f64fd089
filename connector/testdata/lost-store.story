# lost-store
# On an empty store a run takes over what the shop lists as ours: nothing is made twice, and nothing is reported in vain.
# program
with lists
list lamp
list chair
run                        -> created 2
lose
run                        -> exit 0 created 0; calls create=0; shop lamp on
reported lamp success once; state lamp live
