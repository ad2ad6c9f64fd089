# shop-retry-after
# A shop that asks to come back later is asked every half a minute whether it is back, and then at once.
start
list lamp
shop-fails retry wide after=600s text=busy
webhook lamp
wait 1m                    -> shop lamp none; status "busy"
shop-works
wait 1m                    -> shop lamp on; reported lamp success once
stop
