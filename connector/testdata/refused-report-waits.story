# refused-report-waits
# A refused report is made again, hourly at last and at once when a person asks, and gives way to what is true then.
set SWEEP_SCHEDULE="7 * * * *"
set RESYNC_SCHEDULE="0 3 2 * *"
start
wait 5s
market refuse next=1
list lamp
webhook lamp
wait 10s                   -> reported lamp success
list chair table
market refuse
shop-fails reject
webhook chair table
wait 12h                   -> state chair rejected; reported chair syncing >=20; reported chair syncing <=24
explain chair owed "cannot be changed"
market heal
retry chair
wait 5s                    -> reported chair failed; reported table syncing
shop-works
supply table title=Mended
webhook table
wait 15s                   -> shop table on; reported table success; explain table not owed
stop
