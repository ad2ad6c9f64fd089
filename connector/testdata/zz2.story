list lamp
list chair
shop-fails panic for=lamp text="busy"
shop-fails panic on=check times=1 text="no check"
run                        -> exit 1 pending 1 created 1
