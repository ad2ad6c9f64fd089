# large-listing
# A list of variants is read to its end.
list lamp variants=130
run                        -> exit 0 created 1; shop lamp variants=130
supply lamp of=130 stock=77
run                        -> exit 0; shop lamp of=130 stock=77
