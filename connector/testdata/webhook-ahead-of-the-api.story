# webhook-ahead-of-the-api
# A webhook may be ahead of the API: what it names is looked at again for a minute, and no longer.
set SWEEP_SCHEDULE="0 3 * * *"
list lamp
start
wait 5m                    -> shop lamp on
webhook late ahead=0s
wait 5s
list late
wait 30s                   -> shop late on; reported late success once
webhook lamp ahead=5s
wait 5m                    -> reads lamp=7
webhook lamp ahead=-1h
wait 5m                    -> reads lamp=1
webhook never ahead=0s
wait 5m                    -> state never unknown
stop
