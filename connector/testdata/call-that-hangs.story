# call-that-hangs
# A call of the shop that hangs holds neither a run nor the others.
list lamp
list chair
list table
shop-fails wait=20m for=lamp on=publish times=1
run patience=5s            -> exit 1 pending 1 created 2
run                        -> exit 0 created 1; shop lamp on; reported lamp success once
