# deleted-and-not-listed
# A shop that lists nothing shows at the next write that a listing was deleted by hand: it stays so until a person asks.
list p[1-3]
run                        -> created 3
hand p1 delete
supply p1 stock=7
run                        -> exit 1 blocked 1; shop p1 none; reported p1 failed
run full                   -> blocked 1; shop p1 none
retry p1
run                        -> exit 0; shop p1 on stock=7; reported p1 success
