# sold-out
# What is sold out stays on sale as sold out, or is hidden where the merchant says so, and comes back with its report kept.
with lists
list lamp stock=0
run                        -> exit 0; shop lamp on stock=0; reported lamp success once
set ON_SOLD_OUT=hide
run                        -> exit 0; shop lamp off
supply lamp stock=4
run                        -> exit 0; shop lamp on stock=4; reported lamp success once
list chair stock=0
run                        -> exit 1; shop chair none; state chair pending "sold out"
# A store that is lost meanwhile takes it for sold out, not for hidden by hand.
supply lamp stock=0
run                        -> exit 1; shop lamp off
lose
run                        -> exit 1 blocked 0; shop lamp off; reported lamp success once
supply lamp stock=3
run                        -> shop lamp on stock=3; reported lamp success once
