# shop-that-asks-for-hours
# A shop whose check passes while it asks for a pause of hours is tried more and more seldom, and not forgotten.
start
wait 5s
list lamp
shop-fails retry wide after=10h on=publish text="too many requests"
webhook lamp
wait 1h                    -> calls publish=>=3; calls publish=<=14
wait 3h                    -> calls publish=<=14
shop-works
wait 17m                   -> shop lamp on; status not "too many requests"
stop
