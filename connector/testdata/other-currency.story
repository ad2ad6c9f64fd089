# other-currency
# A shop that comes to sell in another currency is written to no more, and goes on once it is back.
with currency=EUR
list lamp msrp=20
start
wait 6m                    -> shop lamp price=20
with currency=USD
supply lamp msrp=21
webhook lamp
wait 3m                    -> shop lamp price=20; status "nothing is converted"
wait 3h                    -> calls publish=0
with currency=EUR
wait 20m                   -> shop lamp price=21; status not "nothing is converted"
with currency=USD
wait 2h                    -> status "nothing is converted"
stop
