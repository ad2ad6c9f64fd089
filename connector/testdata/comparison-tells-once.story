# comparison-tells-once
# A variant that the merchant switched off is counted by the comparison that finds it (found: variants:1), and by none
# after it.
with lists observes
list lamp variants=2
run
wait 1h
hand lamp off of=2
run full                   -> status :1}
wait 25h
run full                   -> status not :1}
