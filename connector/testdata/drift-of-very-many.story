# drift-of-very-many
# Where the prices of very many products were changed somebody meant it: none is put back before a person says so.
with lists observes
list a
list b
list c
list d
list e
list f
list g
list h
list i
list j
list k
run                        -> created 11
wait 1h
hand a price=5
hand b price=5
hand c price=5
hand d price=5
hand e price=5
hand f price=5
hand g price=5
hand h price=5
hand i price=5
hand j price=5
hand k price=5
run full                   -> exit 1 held 11; shop a price=5; shop k price=5
decline a
approve kind=drift
run                        -> exit 0; shop a price=5; shop b price=20; shop k price=20
