# refused-variant
# A refused variant costs itself alone.
# program
list lamp variants=2
shop-fails refuse for=lamp of=2 text="no such size"
run                        -> exit 0 created 1; shop lamp variants=1; state lamp partial "no such size"; reported lamp success once
shop-works
retry lamp
run                        -> exit 0; shop lamp variants=2; state lamp live
