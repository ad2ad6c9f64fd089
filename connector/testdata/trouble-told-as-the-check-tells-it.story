# trouble-told-as-the-check-tells-it
# Of a shop that refuses everything the check's words are told, everywhere, and no more once it is mended.
start
list lamp
webhook lamp
wait 1m                    -> shop lamp on
shop-fails block wide on=check text="the key may read and not write"
shop-fails block wide on=publish text="something refuses"
supply lamp stock=7
webhook lamp
wait 1m                    -> state lamp blocked "the key may read and not write"; status "the key may read and not write"
shop-works
wait 10m                   -> state lamp live; shop lamp stock=7; status not "the key may read"
stop
