# webhooks-of-products-in-a-flood
# Events of products in great numbers keep no new entry waiting, announced or not.
# long
set SWEEP_SCHEDULE="* * * * *"
list p[1-300] variants=4
start
wait 1h
webhook p[1-300] product
wait 5s
webhook p[1-300] product
list announced
webhook announced
wait 10s                   -> shop announced on; reads p300=0
list swept
webhook p[1-300] product
wait 70s                   -> shop swept on
stop
