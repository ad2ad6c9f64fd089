# skip-rules
# A rule that keeps entries out rejects new ones with its reason, and takes nothing off sale.
list chair stock=5
run                        -> created 1
set SKIP_STOCK_BELOW=3
list lamp stock=2
supply chair stock=1
run                        -> exit 1 rejected 1; shop lamp none; shop chair on stock=1; state lamp rejected "SKIP"
supply lamp stock=9
supply chair stock=9
run                        -> exit 0 created 1; shop lamp on stock=9
