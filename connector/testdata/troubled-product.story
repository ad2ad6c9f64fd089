# troubled-product
# The trouble of one product is its own: the others are on sale at once, nothing pauses, and its tries are few.
# long
list lamp
list chair
list chest variants=500
shop-fails retry for=lamp text="500: no such row"
start
wait 5m                    -> shop chair on; reported chair success once; shop chest variants=500
wait 1h                    -> calls publish=<=30
wait 3h                    -> calls publish=<=60
list mug
webhook mug
wait 15s                   -> shop mug on; reported lamp nothing
explain lamp "500: no such row"
stop
run patience=1m            -> exit 1 pending 1 seconds <=90
shop-works
run                        -> exit 0 created 1; shop lamp on
