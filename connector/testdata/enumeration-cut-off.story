# enumeration-cut-off
# An enumeration that the patience cuts off is no fault, and the next run goes on with it; one that shows no page is.
# long
list p[1-500]
run                        -> created 500
run
wait 2h
unlist p250
market delay 8s on=list
run patience=30s           -> exit 0 swept >=1 withdrawn 0
market heal
run                        -> exit 0 withdrawn 1 swept <=400
wait 2h
market server-error on=list
run patience=30s           -> exit 3 seconds <=60
market heal
run                        -> exit 0
