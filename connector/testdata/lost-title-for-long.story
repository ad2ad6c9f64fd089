# lost-title-for-long
# What is on sale without a title in the wanted languages stays on sale and a success after FAIL_AFTER too.
list lamp
run                        -> created 1
supply lamp title=none title.de=Lampe
run                        -> exit 1 pending 1; calls 0
wait 25h
run                        -> exit 1 rejected 1; calls 0; shop lamp on title=Lamp; reported lamp success once
supply lamp title="A lamp"
run                        -> exit 0 updated 1; shop lamp title="A lamp"; reported lamp success once
