# beside-a-worker
# What a person asks for beside a worker is done by it at once, and a run is handed over to it.
# program
set ACTOR=Böb
list lamp
list chair cost=10 msrp=20
shop-fails reject for=lamp text="no lamps here"
start
run                        -> exit 1 rejected 1; shop chair price=20; reported lamp failed once
supply chair msrp=90
run                        -> exit 1 held 1; state chair held "more than 50 %"
shop-works
retry lamp
approve chair
run                        -> exit 0 held 0 rejected 0; shop lamp on; shop chair price=90
explain chair "Böb"
stop
