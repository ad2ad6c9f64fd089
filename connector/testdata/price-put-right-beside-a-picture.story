# price-put-right-beside-a-picture
# A picture that is tried again says nothing of figures: a full run puts a price right beside it.
with lists observes
list lamp chair pictures=https://images.example/a.png
shop-fails lack for=lamp
run                        -> created 2; state lamp partial
shop-fails late
supply chair pictures=https://images.example/b.png
run                        -> state chair partial
wait 1h
hand lamp chair price=2
run full                   -> wrote lamp price; wrote chair images,price; shop lamp price=20; shop chair price=20
shop-works
retry lamp chair
run                        -> state lamp live; state chair live
wait 25h
run full                   -> wrote lamp nothing; wrote chair nothing
