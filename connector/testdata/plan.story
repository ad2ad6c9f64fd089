# plan
# A plan says what the next run does, and does nothing.
# program
list lamp msrp=20
plan                       -> create lamp; calls 0; shop lamp none; reported lamp nothing
run                        -> created 1
plan                       -> nothing
supply lamp msrp=22 stock=3 sku=LAMP-9
list chair
plan                       -> change lamp sku LAMP-9; change lamp price 22.00; change lamp quantity 3; create chair; shop lamp price=20
supply lamp msrp=90
plan                       -> holds lamp
run                        -> exit 1 held 1
plan                       -> holds lamp
unlist lamp
plan full                  -> calls 0
