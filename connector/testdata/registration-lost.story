# registration-lost
# A registration that the marketplace has dropped is made again, and what was missed meanwhile is found at once.
set WEBHOOK_URL=https://127.0.0.1:9/webhooks
set SWEEP_SCHEDULE="0 3 * * *"
list lamp
start
wait 3h                    -> registered 1; shop lamp on
market unregister
list chair
wait 70m                   -> registered 1; shop chair on
stop
