# backup-put-back
# A store put back from a backup knows nothing of what came since, and the shop comes to show the list all the same.
# program
with lists
list lamp msrp=20
run                        -> created 1
save
supply lamp msrp=21
list chair
run                        -> created 1 updated 1
put-back
run                        -> exit 0 created 0; shop lamp price=21; shop chair on
reported chair success once
