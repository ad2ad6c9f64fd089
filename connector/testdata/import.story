# import
# Each entry is made once and reported once; a second run asks the shop for nothing and reads no content.
# program
list lamp cost=10 msrp=20 stock=5 pictures=https://images.example/a.png,https://images.example/b.png
list chair variants=3
run                        -> exit 0 created 2 reported 2 swept 2; calls create=2 publish=2
shop lamp on price=20 stock=5 pictures=2 title=Lamp
shop chair on variants=3
reported lamp success once at=https://shop.example/; reported chair success once
run                        -> exit 0 created 0 updated 0 reported 0 requests <=4; calls 0
