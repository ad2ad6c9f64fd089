# backup-put-back-believes-the-shop
# A backup knows nothing of what happened in the shop since: what was sold stays sold, and an approved price stands.
with lists observes
list lamp msrp=20 stock=10
list bench
run                        -> created 2
save
wait 1h
supply lamp msrp=60
run                        -> exit 1 held 1
approve lamp
run                        -> shop lamp price=60
hand lamp sold=4
put-back
run                        -> exit 0 created 0 held 0; shop lamp on price=60 stock=6; shop bench on
