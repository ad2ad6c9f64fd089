list lamp
list chair
shop-fails retry for=lamp text="busy"
shop-fails retry on=check times=1 text="no check"
run                        -> exit 1 pending 1 created 1
