# drift-of-prices
# A price that somebody typed is put right, an emptied one too; the merchant's own texts stay.
with lists observes
list lamp msrp=20 stock=5
run                        -> created 1
wait 1h
hand lamp price=2 title="Our lamp"
run full                   -> exit 0; shop lamp price=20 title="Our lamp"
explain lamp "put back to 20.00"
wait 1h
hand lamp price=none
run full                   -> shop lamp price=20
supply lamp title="Their lamp"
run                        -> shop lamp title="Our lamp"
retry lamp reset
run                        -> shop lamp title="Their lamp"
