# calls-that-all-fail
# A run in which every call of the shop takes long and comes to nothing lasts for its patience and one call.
list p[1-40]
shop-fails retry wait=50s text="it did not come to an end" on=publish
run patience=2m            -> exit 1 pending 40 seconds <=175
shop-works
run                        -> exit 0 created 40
