# rejected-product
# A product that the shop refuses is failed, and success once the supplier has mended it.
list lamp
list chair
shop-fails reject for=lamp text="the title is too long"
run                        -> exit 1 rejected 1 created 1; shop lamp none; reported lamp failed once; reported chair success once
state lamp rejected "the title is too long"
run                        -> exit 1; calls publish=0
shop-works
supply lamp title="Lamp 2"
run                        -> exit 0 created 1; shop lamp on; reported lamp success twice
