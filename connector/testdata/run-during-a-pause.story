# run-during-a-pause
# A run waits out its patience where a shop asks for a pause, and goes on where the shop comes back meanwhile.
list lamp
run                        -> created 1
supply lamp stock=7
shop-fails retry wide after=10m text=maintenance
run patience=2m            -> exit 4 seconds >=100 seconds <=160; shop lamp stock=5
shop-works
shop-fails retry wide after=10m times=3 text=maintenance
run patience=2m            -> exit 0 updated 1 seconds <=100; shop lamp stock=7
