# approval-of-a-value
# An approval lets the shown value through and no other.
list lamp msrp=20
run                        -> exit 0
supply lamp msrp=40
run                        -> held 1
supply lamp msrp=90
approve lamp
run                        -> held 1; shop lamp price=20
approve lamp
run                        -> held 0; shop lamp price=90
