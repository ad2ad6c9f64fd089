# hidden-and-not-listed
# A shop that lists nothing shows at the next write what was taken out of sale: it stays so, and is failed.
list p[1-3]
run                        -> created 3
hand p1 hide
supply p1 stock=7
run                        -> exit 1 blocked 1; shop p1 off stock=5
supply p1 stock=8
run                        -> exit 1 blocked 1; shop p1 off stock=5; reported p1 failed twice
hand p1 show
supply p1 stock=9
run                        -> exit 0; shop p1 on stock=9; reported p1 success 3
