# marketplace-in-trouble
# Whatever becomes of answers to reports, each status stands in the end, and nothing is made or reported twice.
list a
market cut on=report next=1 executed
run                        -> exit 0; reported a success once
list b
market cut on=report next=1
run                        -> exit 0; reported b success once
list c
market internal-error on=report next=1 executed
run                        -> exit 0; reported c success once
list d
market server-error on=report next=2
run                        -> exit 0; reported d success once
list e
market server-error next=4
run                        -> exit 0; reported e success once
list f
market throttle next=3
run                        -> exit 0; reported f success once; calls create=1 publish=1
