# shop-check-at-the-start
# A shop whose credentials are refused is paused until its check passes, with nothing to write too.
shop-fails block wide text="the key was refused"
start
wait 1m                    -> status "the key was refused"
shop-works
wait 16m                   -> status not "the key was refused"
stop
