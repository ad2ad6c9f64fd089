# unreadable-at-first
# A new product is made without what cannot be read of it, and gets it once a reading shows it.
market odd images ean
list lamp pictures=https://images.example/a.png ean=4006381333931
run                        -> exit 0 created 1; shop lamp on pictures=0
explain lamp "cannot be read"
market heal
run full                   -> exit 0; shop lamp pictures=1 ean=4006381333931
