# webhooks-for-very-many
# However many webhooks come while nothing works them off, each is acknowledged, and none is lost.
set SWEEP_SCHEDULE="0 3 * * *"
list lamp
run
list p[1-100]
webhook p[1-100]           -> answers 204
market empty-list
start
wait 5m                    -> shop p100 on; reported p100 success once
stop
