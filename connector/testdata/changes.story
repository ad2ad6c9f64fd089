# changes
# A change of the supplier is one write that names its group; the body is whole, and nothing is reported again.
list lamp variants=2 pictures=https://images.example/a.png,https://images.example/b.png shipping=NL:4.95:3
run                                     -> created 1
supply lamp msrp=21                     
run                                     -> updated 1; wrote lamp price
supply lamp cost=9
run                                     -> wrote lamp price
supply lamp of=2 stock=3
run                                     -> wrote lamp stock; shop lamp of=2 stock=3
supply lamp of=2 policy=CONTINUE
run                                     -> wrote lamp stock; shop lamp of=2 backorders=true
supply lamp title="Another lamp"
run                                     -> wrote lamp title; shop lamp title="Another lamp" pictures=2
supply lamp html="<p>Dark.</p>"
run                                     -> wrote lamp description; shop lamp html="<p>Dark.</p>"
supply lamp category=HOME_LIVING
run                                     -> wrote lamp category
supply lamp pictures=https://images.example/b.png,https://images.example/a.png
run                                     -> wrote lamp images
supply lamp shipping=NL:5.95:3
run                                     -> wrote lamp shipping
supply lamp of=1 sku=LAMP-X
run                                     -> wrote lamp variants; shop lamp sku=LAMP-X
supply lamp of=1 ean=4006381333931
run                                     -> wrote lamp variants
supply lamp variants=3
run                                     -> wrote lamp variants; shop lamp variants=3
supply lamp variants=1
run                                     -> wrote lamp variants; shop lamp variants=1
supply lamp msrp=19 stock=1
run                                     -> wrote lamp price,stock; reported lamp success once
