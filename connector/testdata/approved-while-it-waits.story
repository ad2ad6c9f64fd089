# approved-while-it-waits
# What a person approves among others is looked at then, though the product waits for its title with backoff.
list lamp msrp=20
start
wait 10s                   -> shop lamp on price=20
supply lamp msrp=90
wait 10m                   -> state lamp held
supply lamp title=none title.de=Lampe
wait 2h                    -> state lamp held; shop lamp on price=20
approve kind=price
wait 20s                   -> shop lamp off
