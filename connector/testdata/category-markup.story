# category-markup
# A markup by branch: the deepest wins, and one with a sign is added to the general one.
set PRICE_MARKUP_PERCENT=10
set PRICE_CATEGORIES=GARDEN/TOOLS=+10%;GARDEN=30%
list rake msrp=20 category=GARDEN_TOOLS_HAND
list pot msrp=20 category=GARDEN_PLANTING_POTS
list mug msrp=20 category=KITCHEN_TABLEWARE_MUGS
run                        -> created 3; shop rake price=24; shop pot price=26; shop mug price=22
explain rake "GARDEN_TOOLS"
