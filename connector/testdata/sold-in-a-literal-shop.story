# sold-in-a-literal-shop
# A shop that writes what it is given is given what is left, whatever has changed.
with lists observes literal
list lamp msrp=20 stock=51
run                        -> created 1
hand lamp sold=49
run full                   -> shop lamp stock=2
supply lamp msrp=21
run                        -> wrote lamp price; shop lamp price=21 stock=2
set PRICE_MARKUP_PERCENT=10
run                        -> shop lamp price=23.10 stock=2
