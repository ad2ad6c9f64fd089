# removal-for-another-reason
# A removal that waits for a person is declined for the reason of now, though its listing had gone before its entry left.
set ON_REMOVED=delete
list p[1-40]
run                        -> created 40
supply p[1-12] listing=none
run                        -> exit 1 held 12 withdrawn 0
supply p[5-12] listing=back
unlist p[1-4]
run full                   -> exit 1 held 4 withdrawn 0
decline all
run full                   -> exit 0 held 0 withdrawn 0; shop p1 on; shop p4 on
