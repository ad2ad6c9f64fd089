# removal-not-answered
# A list that is empty, or that lacks what cannot be asked for by itself, takes nothing out of sale.
list p[1-15]
run                        -> created 15
market empty-list
run full                   -> withdrawn 0 held 0; shop p1 on
market heal
unlist p1
market internal-error on=look
market internal-error on=content
run full                   -> withdrawn 0; shop p1 on
market heal
run full                   -> exit 0 withdrawn 1; shop p1 off
