# calls-that-hang
# Calls that hang hold a run no longer than its patience, and no other product; what they were about is done by the next.
list p[1-4]
run patience=1s
list p[5-14]
shop-fails wait=5m for=p5
shop-fails wait=5m for=p6
shop-fails wait=5m for=p7
shop-fails wait=5m for=p8
run patience=100s          -> exit 1 pending >=4 seconds <=110
run patience=100s          -> exit 1 pending 4 seconds <=110; shop p9 on; shop p14 on
shop-works
run                        -> exit 0 created 4; shop p5 on; reported p5 success once
