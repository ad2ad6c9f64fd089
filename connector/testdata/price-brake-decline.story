# price-brake-decline
# A declined price stays, and is not asked again, until the supplier moves it.
list lamp msrp=20
run                        -> exit 0
supply lamp msrp=40
run                        -> held 1
decline lamp
run                        -> exit 0 held 0; shop lamp price=20
explain lamp "40.00 was declined"
supply lamp msrp=22
run                        -> exit 0; shop lamp price=22
supply lamp msrp=40
run                        -> held 1; shop lamp price=22
