# lost-title
# What is on sale and loses its title stays, until its price or stock moves: then it is taken out of sale until it has one.
list lamp stock=5
run                        -> created 1
supply lamp title=none
run                        -> exit 1 pending 1; shop lamp on; reported lamp success once
supply lamp stock=2
run                        -> exit 1; shop lamp off
supply lamp title=Lamp
run                        -> exit 0; shop lamp on stock=2; reported lamp success
