# changes-of-variants
# A change that does not move updatedAt is found by the list of variants.
list lamp stock=5
run                        -> created 1
supply lamp stock=2 quiet
run                        -> updated 1; shop lamp stock=2
supply lamp stock=3
run                        -> updated 1; reads lamp=1
run                        -> updated 0 requests <=4 cost <=30
