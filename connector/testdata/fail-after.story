# fail-after
# What has met only trouble of the shop for FAIL_AFTER is reported failed, and tried on.
list lamp
list chair
run patience=1s
shop-fails block for=table text="a category is missing"
list table
run                        -> exit 1 blocked 1; reported table nothing
wait 25h
retry table
run                        -> reported table failed once
shop-works
retry table
run                        -> exit 0; shop table on; reported table success
