# listing-gone
# An entry whose listing is gone while it stays on the list leaves the shop and is failed; it is success when it is back.
list lamp
list chair
run                        -> created 2
supply lamp listing=none
run                        -> withdrawn 1; shop lamp off; reported lamp failed
supply lamp listing=back
run                        -> exit 0; shop lamp on; reported lamp success
