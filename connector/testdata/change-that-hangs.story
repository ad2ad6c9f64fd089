# change-that-hangs
# A change that hangs is not called done; where the shop's check hangs too it is the shop that cannot be reached.
list lamp
run                        -> created 1
supply lamp stock=7
shop-fails wait=8m on=publish
run patience=20s           -> exit 1 updated 0 seconds <=30
shop-fails wait=8m on=check
run patience=20s           -> exit 4 updated 0 seconds <=30
shop-works
run                        -> exit 0 updated 1; shop lamp stock=7
