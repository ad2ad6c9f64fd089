# panic
# A panic of the adapter is one product's trouble, told without secrets and tried again; one of its check ends nothing.
list lamp
list chair
shop-fails panic for=lamp text="Authorization: sandbox-token"
run                        -> exit 1 pending 1 created 1; shop chair on; reported lamp nothing
explain lamp "internal error: Authorization: [secret]"
shop-works
shop-fails panic on=check times=1
run                        -> exit 0 created 1; reported lamp success once
