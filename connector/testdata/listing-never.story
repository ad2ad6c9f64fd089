# listing-never
# An entry without a listing or without a variant waits for one, and nothing is reported, whatever was attempted before.
list bare variants=0
list lamp
supply lamp listing=none
list chair
shop-fails retry for=chair
run patience=1s            -> exit 1 pending 3
shop-works
supply chair listing=none
run                        -> exit 1 pending 3; calls create=0; reported bare nothing; reported lamp nothing
reported chair nothing
supply lamp listing=back
run                        -> pending 2; shop lamp on; reported lamp success once
