# every-variant-refused
# A product of which the shop refuses every variant is rejected, and failed.
list lamp
shop-refuses lamp of=1 "no such size"
run                        -> exit 1 rejected 1; state lamp rejected "no such size"; reported lamp failed once
