# shop-rate-limit
# A rate limit is kept to its end, whatever the shop's check says.
start
list lamp
shop-fails retry wide limited after=600s text=busy times=1
webhook lamp
wait 9m                    -> shop lamp none; status "busy"
wait 2m                    -> shop lamp on; reported lamp success once
stop
