# mass-removal
# Removals that would take more than a fifth, and more than ten, or all of what is on sale wait for a person.
list a
list b
run                        -> created 2
unlist a b
run full                   -> exit 1 held 2 withdrawn 0; shop a on; shop b on
state a held
decline a
approve kind=removal
run                        -> shop a on; shop b off
