# no-title-yet
# An entry without a title in the wanted languages waits for one until FAIL_AFTER, and is rejected then.
list lamp title=none title.de=Lampe
run                        -> exit 1 pending 1; shop lamp none; reported lamp nothing
wait 25h
run                        -> exit 1 rejected 1; reported lamp failed once
supply lamp title.nl=Lamp
run                        -> exit 0 created 1; shop lamp title=Lamp; reported lamp success
