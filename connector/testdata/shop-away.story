# shop-away
# An answer that is lost is followed by another try, which finds what the first one made.
list lamp
shop-fails cut=after on=publish times=1
run                        -> exit 0 created 1; shop lamp on; reported lamp success once
shop-fails cut=before times=2
list table
run                        -> exit 0; shop table on; reported table success once
