# refused-token
# A refused token ends a run at once with 3, and takes nothing out of sale.
list lamp
run                        -> created 1
market revoke
run                        -> exit 3 withdrawn 0; shop lamp on
market heal
run                        -> exit 0; reported lamp success once
