# late-pictures-asked-for
# A late picture is asked for by each run and each person, as a write of pictures alone; nothing is amiss meanwhile.
list lamp
shop-fails late
run                        -> exit 0 created 1; state lamp partial
run                        -> exit 0 updated 0
retry lamp
run                        -> exit 0 updated 0; state lamp partial
wait 20h
shop-works
run full                   -> exit 0 updated 1; wrote lamp images; state lamp live; reported lamp success once
shop-fails late
list chair
run                        -> created 1
shop-works
retry failed
run                        -> updated 1; state chair live
