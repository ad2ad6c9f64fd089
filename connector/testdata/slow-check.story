# slow-check
# A shop that answers its check late is slow and not down; one that never does cannot be used.
list lamp
shop-fails wait=20s on=check
run                        -> exit 0 created 1
shop-works
shop-fails wait=1h on=check
run patience=1m            -> exit 4 seconds <=120
