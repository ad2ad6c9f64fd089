# shop-back-wakes-all
# The end of a pause wakes everything that it put off; what a person asks for is tried at once.
start
wait 5s
shop-fails retry wide after=600s text=maintenance
list p[1-5]
webhook p1
webhook p2
webhook p3
webhook p4
webhook p5
wait 10s                   -> status "maintenance"
shop-works
wait 40s                   -> shop p1 on; shop p5 on
shop-fails retry wide after=600s text=maintenance
supply p1 stock=7
webhook p1
wait 10s                   -> shop p1 stock=5
shop-works
retry p1
wait 5s                    -> shop p1 stock=7; status not "since"
stop
