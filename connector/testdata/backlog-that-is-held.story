# backlog-that-is-held
# In a backlog too a price that moves too far is held, and what was hidden or deleted by hand stays away.
with figures lists
list p[1-60] msrp=20 stock=5
run patience=60m           -> created 60
wait 1h
hand p2 hide
hand p3 delete
supply p[1-60] stock=9
supply p1 msrp=99999
supply p4 variants=2
run patience=60m           -> exit 1 held 1 blocked 2; calls figures=>=50; shop p1 price=20 stock=9; shop p5 stock=9
shop p2 off; shop p3 none; shop p4 variants=2; state p3 blocked; state p2 blocked
