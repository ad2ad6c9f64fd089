# shop-blocked
# A shop that refuses everything is paused with one word of why, and tried again when its check passes.
list lamp
shop-fails block wide text="the key is read-only"
run                        -> exit 4; shop lamp none; reported lamp nothing
state lamp blocked "the key is read-only"
shop-works
run                        -> exit 0 created 1; shop lamp on
