# rejected-update
# A refused update leaves the earlier version on sale while its figures hold, and reports nothing.
list lamp msrp=20 stock=5
run                        -> created 1
shop-fails reject for=lamp on=publish text=no
supply lamp title="Lamp 2"
run                        -> exit 1 rejected 1; shop lamp on title=Lamp; reported lamp success once
supply lamp stock=2
run                        -> exit 1 rejected 1; shop lamp off; reported lamp failed twice
shop-works
retry lamp
run                        -> exit 0; shop lamp on title="Lamp 2" stock=2; reported lamp success
