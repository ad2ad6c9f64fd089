# refresh
# Figures that were read longer ago than PUBSYNC_REFRESH_AFTER are read again, though nobody says that they changed.
with figures
list lamp stock=5
set SWEEP_VARIANTS=off
run                        -> created 1
supply lamp stock=2 quiet
run                        -> reads lamp=0; shop lamp stock=5
wait 25h
run                        -> reads lamp=1; shop lamp stock=2
