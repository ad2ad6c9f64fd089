# deleted-by-hand
# A listing that the merchant deleted stays deleted and is reported failed, until a person asks for it.
with lists
list lamp
list chair
run                        -> created 2
wait 1h
hand lamp delete
run full                   -> exit 1 blocked 1; shop lamp none; reported lamp failed
supply lamp msrp=21
run                        -> blocked 1; shop lamp none
retry lamp
run                        -> exit 0; shop lamp on price=21; reported lamp success
