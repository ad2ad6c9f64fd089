# strange-ids
# Ids are opaque: whatever stands in one, its product is imported, changed, withdrawn and asked for.
list "a/b ?c#d"
list "../ü%2F"
run                        -> created 2 reported 2; shop "a/b ?c#d" on; shop "../ü%2F" on
supply "a/b ?c#d" stock=2
unlist "../ü%2F"
run full                   -> exit 0 withdrawn 1; shop "a/b ?c#d" stock=2; shop "../ü%2F" off
retry "a/b ?c#d"
run                        -> exit 0; state "a/b ?c#d" live
