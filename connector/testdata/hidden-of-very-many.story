# hidden-of-very-many
# Where more than a fifth, and more than ten, are out of sale at once none is written, nor reported before a look an
# hour later.
with lists
list p[1-12]
run                        -> created 12
wait 1h
hand p[1-11] hide
run full                   -> blocked 11; reported p1 success once; reported p11 success once; status "11 of 12 listings are out of sale"
supply p1 msrp=21.00
run                        -> shop p1 off; reported p1 success once; explain p1 "believed when a look an hour later"
wait 30m
run full                   -> reported p1 success once
wait 31m
run full                   -> exit 1 blocked 11; reported p1 failed twice; reported p12 success once
hand p[1-11] show
run full                   -> exit 0; reported p1 success 3
wait 25h
hand p[1-11] hide
run full                   -> exit 1 blocked 11; reported p1 success 3
supply p1 msrp=22.00
run                        -> shop p1 off price=21.00
hand p[1-11] show
run full                   -> exit 0 blocked 0; shop p1 on price=22.00; reported p1 success 3
