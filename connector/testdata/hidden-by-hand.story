# hidden-by-hand
# A listing that the merchant took out of sale stays so; put back it is on sale with the supplier's latest.
with lists
list lamp
list chair
run                        -> created 2
wait 1h
hand lamp hide
run full                   -> exit 1 blocked 1; shop lamp off
supply lamp msrp=21
run                        -> shop lamp off
wait 1h
hand lamp show
run full                   -> exit 0; shop lamp on price=21; reported lamp success
