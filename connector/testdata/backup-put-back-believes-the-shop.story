# backup-put-back-believes-the-shop
# A backup knows nothing of what happened in the shop since: what was sold stays sold, what was hidden stays hidden.
with lists observes
list lamp msrp=20 stock=10
list chair
list bench
run                        -> created 3
save
wait 1h
supply lamp msrp=60
run                        -> exit 1 held 1
approve lamp
run                        -> shop lamp price=60
hand lamp sold=4
hand chair hide
run full                   -> exit 1; state chair blocked "by hand"
put-back
run                        -> exit 1 created 0 held 0; shop lamp on price=60 stock=6; shop chair off; shop bench on
state chair blocked "by hand"; reported chair failed twice
