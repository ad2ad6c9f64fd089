# a-list-that-lacks-very-many
# A shop whose list lacks very many listings proves nothing; one that is missing is believed.
with lists
list a
list b
list c
run                        -> created 3
wait 1h
hand a delete
hand b delete
hand c delete
run full                   -> exit 0 blocked 0; reported a success once; reported c success once
