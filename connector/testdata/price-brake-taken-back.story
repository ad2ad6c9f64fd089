# price-brake-taken-back
# A held price that the supplier takes back leaves nothing to decide; exactly as far as the brake lets pass is let pass.
list lamp cost=10 msrp=20 stock=5
run                        -> created 1
supply lamp msrp=40
run                        -> exit 1 held 1; shop lamp price=20
supply lamp msrp=20 stock=4
run                        -> exit 0 held 0; shop lamp price=20 stock=4
supply lamp msrp=30
run                        -> exit 0 held 0; shop lamp price=30
supply lamp cost=80 msrp=160
run                        -> exit 1 held 1; shop lamp price=30 stock=0
approve lamp
run                        -> exit 0; shop lamp price=160 stock=4
