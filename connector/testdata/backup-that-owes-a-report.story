# backup-that-owes-a-report
# A report that a store put back from a backup owes may be true no longer, and is not made before a reading.
list lamp
list chair
list table
market deny
run                        -> created 3; reported lamp nothing
save
market heal
run                        -> reported lamp success once
unlist lamp
run full                   -> withdrawn 1; shop lamp off
put-back
run                        -> reported chair success
relist lamp
supply lamp listing=none
run full                   -> shop lamp off; reported lamp syncing once
