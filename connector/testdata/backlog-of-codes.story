# backlog-of-codes
# A code that changes with the stock is written too where only the list of variants tells of it, amid a backlog.
with figures
list p[1-60]
run patience=60m           -> created 60
run
wait 1m
supply p[1-60] stock=79 ean=4012345678901 quiet
run patience=60m           -> exit 0 updated 60; calls figures=>=40
shop p1 ean=4012345678901; shop p60 stock=79 ean=4012345678901
