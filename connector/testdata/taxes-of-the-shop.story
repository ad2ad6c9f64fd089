# taxes-of-the-shop
# A shop whose tax settings change has every price written again, so that a visitor is shown the same one.
list lamp msrp=20
list chair msrp=40
run                        -> created 2; shop lamp price=20
with vat=21
plan                       -> change lamp price; change chair price; calls publish=0
run                        -> exit 0 updated 2; shop lamp price=20; shop chair price=40
run                        -> updated 0
start
wait 5m
with vat=19
wait 2h                    -> shop lamp price=20; shop chair price=40
stop
