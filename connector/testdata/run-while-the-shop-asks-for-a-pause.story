# run-while-the-shop-asks-for-a-pause
# A run that leaves products waiting because the shop asked for a pause says so, though the shop's check passes.
list lamp
shop-fails retry wide after=10h on=publish text="too many requests"
run patience=30s           -> exit 4 pending 1
shop-works
run                        -> exit 0 created 1
shop-fails retry wide after=50s on=publish text="too many requests"
supply lamp stock=2
run patience=30s           -> exit 4
