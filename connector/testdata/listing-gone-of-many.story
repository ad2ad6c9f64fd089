# listing-gone-of-many
# Listings that very many entries lose at once are a mass removal, and wait for a person.
list p[1-30]
run                        -> created 30
supply p[1-18] listing=none
run                        -> exit 1 held 18 withdrawn 0; shop p1 on; reported p1 success once
approve kind=removal
run                        -> withdrawn 18; shop p1 off; reported p1 failed; shop p19 on
