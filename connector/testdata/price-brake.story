# price-brake
# program
list lamp cost=10 msrp=20 stock=5
run                        -> exit 0 created 1; shop lamp on price=20 stock=5; reported lamp success once
supply lamp msrp=40 stock=3
run                        -> exit 1 held 1
shop lamp price=20 stock=3
state lamp held "more than 50 %"
approve lamp
supply lamp msrp=50
run                        -> exit 1 held 1; shop lamp price=20
approve lamp
run                        -> exit 0 updated 1; shop lamp price=50; reported lamp success once
