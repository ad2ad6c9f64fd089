# registration
# The webhook is registered once, whatever becomes of the answer, over hours and restarts.
set WEBHOOK_URL=https://127.0.0.1:9/webhooks
list lamp
market cut on=webhook-create next=1 executed
run                        -> registered 0
start
wait 3h                    -> registered 1; status "webhook-0"
restart
wait 3h                    -> registered 1
stop
