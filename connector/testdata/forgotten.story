# forgotten
# What is gone is forgotten after three months; its SKU stays its own while it stands in the shop, and it comes back on its listing.
with lists
set REFRESH_AFTER=10000h
list p[1-3]
list lamp sku=TWIN
run                        -> created 4
unlist lamp
run full                   -> withdrawn 1; shop lamp off
wait 2140h
run                        -> state lamp withdrawn
wait 48h
run                        -> state lamp unknown
list other sku=TWIN
run                        -> created 1; shop lamp sku=TWIN
relist lamp
supply lamp status=success
run                        -> exit 0 held 0; calls create=0; shop lamp on sku=TWIN; reported lamp success twice
