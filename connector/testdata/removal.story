# removal
# An entry that is gone leaves the shop once a whole enumeration and an answer of its own say so; it comes back reported anew.
# program
list lamp brand=Ours
list chair
list table
run                        -> created 3
unlist lamp
run                        -> exit 0 withdrawn 0; shop lamp on
run full                   -> exit 0 withdrawn 1; shop lamp off; shop chair on
state lamp withdrawn
relist lamp
run                        -> exit 0; shop lamp on; reported lamp success twice
run full                   -> exit 0; wrote lamp nothing; shop lamp brand=Ours
