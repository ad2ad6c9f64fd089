# every-variant-refused
# A product of which the shop refuses every variant is rejected, and failed.
list lamp
shop-fails refuse for=lamp of=1 text="no such size"
run                        -> exit 1 rejected 1; state lamp rejected "no such size"; reported lamp failed once
