# refused-token-under-a-worker
# While a token is refused status says so all the time, and the worker goes on by itself once it is good again.
start
list lamp
wait 6m                    -> shop lamp on
market revoke
wait 6m                    -> status "token was refused"
wait 7s                    -> status "token was refused"
list chair
market heal
wait 20m                   -> shop chair on; status not "token was refused"; shop lamp on
stop
