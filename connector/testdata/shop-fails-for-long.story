# shop-fails-for-long
# What is on sale stays success, however long its update fails; a new one is tried within the patience.
list lamp
run                        -> created 1
shop-fails retry text="the shop is busy" for=lamp
shop-fails retry text="the shop is busy" for=chair
list table
supply lamp msrp=21
list chair
run patience=10s           -> exit 1 pending 2 created 1; reported lamp success once; reported chair nothing
wait 25h
run patience=10s           -> reported lamp success once; reported chair failed once
shop-works
run                        -> exit 0; shop lamp price=21; shop chair on; reported chair success
