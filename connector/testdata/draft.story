# draft
# A new product that is to be a draft is complete, not on sale, and reported once the merchant puts it on sale.
with lists
set PUBLISH_AS=draft
list lamp
run                        -> exit 1 pending 1; shop lamp off; reported lamp nothing
wait 1h
hand lamp show
run full                   -> exit 0; shop lamp on; reported lamp success once
