# unreadable-when-listed-again
# What is listed again while a part cannot be read is on sale with what the shop has of it, and is whole once it can be read.
list lamp chair pictures=https://images.example/a.png,https://images.example/b.png ean=4006381333931
run                        -> created 2
unlist lamp
run full                   -> withdrawn 1; shop lamp off
market odd images ean
relist lamp
supply lamp pictures=https://images.example/a.png
run                        -> exit 0 updated 1; shop lamp on pictures=2; reported lamp success twice
market heal
run full                   -> exit 0; shop lamp pictures=1 ean=4006381333931; wrote chair nothing
