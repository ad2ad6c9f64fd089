# refused-variant-that-changes
# A variant that the shop refused is tried again when the supplier changes it, and not before.
list lamp variants=2
run                        -> created 1
shop-fails refuse for=lamp of=2 text="nine is no number here"
supply lamp of=2 stock=9
run                        -> exit 0; state lamp partial "nine is no number here"
run full                   -> calls 0
shop-works
run full                   -> calls 0; state lamp partial
supply lamp of=2 stock=8
run                        -> exit 0; state lamp live; shop lamp of=2 stock=8
