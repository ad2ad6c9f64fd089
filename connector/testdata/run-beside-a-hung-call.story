# run-beside-a-hung-call
# A run that a worker makes ends with its patience, and leaves the call that hangs to the worker.
start
wait 5s
list lamp
shop-fails wait=5m on=publish
run patience=100s          -> exit 1 seconds <=105
wait 5m                    -> calls create=0; shop lamp on; reported lamp success once
stop
