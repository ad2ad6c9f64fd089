# backlog-figures
# Of a backlog prices and stock are right in the shop before anything else of it is, and the rest follows by itself.
with figures
list p[1-60]
run patience=60m           -> created 60
supply p[1-60] stock=9 msrp=21 title=New
plan                       -> change p60 price 21.00; change p60 quantity 9; change p60 title New
run patience=60m           -> exit 0 updated 60; calls figures=60 publish=60; wrote p1 "price,stock then title"
run                        -> exit 0 updated 0; calls 0
