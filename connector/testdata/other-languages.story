# other-languages
# After a change of what decides the texts everything is read again, and shows them.
set MARKETPLACE_LANGUAGES=en,nl
list p[1-5] title="Watering can" title.nl=Gieter
run                        -> created 5; shop p1 title="Watering can"
set MARKETPLACE_LANGUAGES=nl,en
plan                       -> change p1 title Gieter
run                        -> exit 0 updated 5; shop p1 title=Gieter; shop p5 title=Gieter; reads p1=1
run                        -> updated 0; reads p1=0
