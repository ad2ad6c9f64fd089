# sold-out
# What is sold out stays on sale as sold out, or is hidden where the merchant says so, and comes back with its report kept.
list lamp stock=0
run                        -> exit 0; shop lamp on stock=0; reported lamp success once
set ON_SOLD_OUT=hide
run                        -> exit 0; shop lamp off
supply lamp stock=4
run                        -> exit 0; shop lamp on stock=4; reported lamp success once
list chair stock=0
run                        -> exit 1; shop chair none; state chair pending "sold out"
