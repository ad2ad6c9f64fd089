# variants-not-listed
# Where the list of variants is refused or fails the run goes on without it and status says so; it is asked again after a day.
set REFRESH_AFTER=1000h
market object "Access denied for field productVariants" on=variants
list lamp stock=5
run                        -> exit 0 created 1
status "refused"
market heal
wait 25h
run
run                        -> exit 0
supply lamp stock=2 quiet
run                        -> exit 0 updated 1; shop lamp stock=2; status "ours"
market internal-error on=variants
list chair
run                        -> exit 0 created 1; status "failing"
