# category-moves
# The shop is told of the whole branch of a product, and follows when the supplier puts it elsewhere.
list lamp category=GARDEN/TOOLS
run                        -> exit 0 created 1; shop lamp category=GARDEN/TOOLS
supply lamp category=GARDEN
run                        -> exit 0; wrote lamp category; shop lamp category=GARDEN
