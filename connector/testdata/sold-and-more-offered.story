# sold-and-more-offered
# A rise of the supplier's figure says nothing of what the shop has sold.
with lists observes
list lamp stock=8
run                        -> created 1
hand lamp sold=6
run full
supply lamp stock=50
run                        -> shop lamp stock=44
explain lamp "has sold 6"
