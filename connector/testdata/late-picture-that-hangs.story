# late-picture-that-hangs
# A server of pictures that hangs longer than a run's patience keeps nothing from being well that is on sale.
list lamp
shop-fails late
run                        -> exit 0 created 1; state lamp partial
shop-works
shop-fails wait=5m on=publish
run patience=100s          -> exit 0 seconds <=110; shop lamp on; state lamp partial
shop-works
run                        -> exit 0; state lamp live
