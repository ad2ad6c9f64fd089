# late-pictures
# A picture whose server is away costs itself, and comes later by itself; one that the shop refuses does not.
list lamp pictures=https://images.example/a.png,https://images.example/b.png
shop-fails late
run                        -> exit 0 created 1; shop lamp on; state lamp partial "503"
shop-works
start
wait 2h                    -> state lamp live; reported lamp success once
stop
shop-fails lack
list chair pictures=https://images.example/c.png
run                        -> exit 0; state chair partial
start
wait 2h                    -> state chair partial
