# price-brake-and-a-lost-answer
# The price brake compares with each price that the shop may show: that last settled, and that of a lost answer.
list p[1-4] cost=5 msrp=20
run                        -> created 4
list p5 cost=5 msrp=20
supply p[1-3] msrp=26
supply p4 msrp=11
shop-fails cut=after on=publish
run patience=5s            -> exit 1 pending 5; shop p1 price=26; shop p4 price=11; shop p5 price=20
explain p1 "26.00 was sent since"
shop-works
supply p1 msrp=32
supply p2 msrp=28
supply p3 msrp=20
supply p4 p5 msrp=31
run                        -> exit 1 held 3; shop p2 price=28; shop p3 price=20; shop p4 price=11; shop p5 price=20
shop p1 price=26; explain p1 "26.00 was let through before"; explain p4 "from 11.00 to 31.00"
run full                   -> held 3; shop p1 price=26
approve all
run                        -> exit 0; shop p1 price=32; shop p4 price=31; shop p5 price=31
