# removals-of-a-day
# Removals of a day count together, also by drips; what is back on the list is asked no more.
list p[1-40]
run                        -> created 40
unlist p[1-8]
run full                   -> exit 0 withdrawn 8
unlist p[9-14]
run full                   -> exit 1 held 6 withdrawn 0; shop p9 on
run full                   -> held 6 withdrawn 0
relist p[9-14]
run full                   -> exit 0 held 0 withdrawn 0
wait 25h
unlist p[9-14]
run full                   -> exit 0 withdrawn 6; shop p9 off
