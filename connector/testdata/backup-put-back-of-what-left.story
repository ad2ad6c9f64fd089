# backup-put-back-of-what-left
# What a backup calls out of sale may have come back since, and be off the list by now: it leaves the shop all the same.
list lamp
list p[1-5]
run                        -> created 6
supply lamp listing=none
run                        -> withdrawn 1; shop lamp off
save
supply lamp listing=back
run                        -> shop lamp on
unlist lamp
put-back
run                        -> exit 0; shop lamp off; shop p1 on; state lamp withdrawn
