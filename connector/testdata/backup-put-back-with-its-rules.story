# backup-put-back-with-its-rules
# Settings and store that are put back together bring back the prices of their time, in a shop that lists nothing too.
list lamp cost=10 msrp=20 title="A title"
list chair
run                        -> created 2
save
set PRICE_MARKUP_PERCENT=10
supply lamp title="Another title"
run                        -> shop lamp price=22 title="Another title"
supply lamp title="A title"
set PRICE_MARKUP_PERCENT=0
put-back
run                        -> exit 0 created 0 held 0; shop lamp price=20 title="A title"
run                        -> calls 0
