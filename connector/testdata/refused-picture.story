# refused-picture
# A picture that the shop refuses is tried again when a person asks or the supplier changes it, and at no other time.
list lamp pictures=https://images.example/a.png,https://images.example/b.png
shop-fails lack
run                        -> exit 0 created 1; state lamp partial; reported lamp success once
run full                   -> exit 0; calls 0
retry lamp
run                        -> exit 0; calls publish=1; state lamp partial
shop-works
run full                   -> calls 0
supply lamp pictures=https://images.example/a.png
run                        -> exit 0 updated 1; wrote lamp images; state lamp live; shop lamp pictures=1
