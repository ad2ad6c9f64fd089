# last-change-counts
# Of many changes between two runs the last counts, and it is one write.
list lamp
run                        -> created 1
supply lamp msrp=21
supply lamp msrp=22
supply lamp msrp=23 stock=2
run                        -> updated 1; calls publish=1; shop lamp price=23 stock=2; reads lamp=1
