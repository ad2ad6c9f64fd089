# removal-kept
# PUBSYNC_ON_REMOVED=keep leaves the listing on sale, delete deletes it.
list a
list b
list c
run                        -> created 3
set ON_REMOVED=keep
unlist a
wait 1m
plan full                  -> withdraw a
run full                   -> exit 0 withdrawn 1; shop a on
set ON_REMOVED=delete
unlist b
run full                   -> exit 0; shop b none; shop a on
relist a b
run                        -> exit 0; shop a on; shop b on; reported a success twice; reported b success twice
