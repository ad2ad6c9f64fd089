# price-brake-below-cost
# A held price that lies below the new cost is not sold; declined it stays held and says so, until the supplier moves it.
list lamp cost=10 msrp=20 stock=5
run                        -> exit 0
supply lamp cost=35 msrp=40
run                        -> exit 1 held 1; shop lamp price=20 stock=0
decline lamp
decline lamp
run                        -> exit 1 held 1; shop lamp price=20 stock=0
state lamp held "sold out: 20.00 is below its cost with VAT, 35.00"
supply lamp cost=10 msrp=21
run                        -> exit 0; shop lamp price=21 stock=5
