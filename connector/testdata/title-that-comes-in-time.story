# title-that-comes-in-time
# A translation that comes within FAIL_AFTER is found though nothing tells of it, at the price of few readings.
# long
list lamp title=none title.de=Lampe
list chair title=none title.de=Stuhl
start
wait 12m                   -> state lamp pending "en, nl"; reported lamp nothing
supply lamp title="A lamp" quiet
wait 12m                   -> shop lamp on title="A lamp"; reported lamp success once
wait 23h                   -> state chair pending; reported chair nothing; reads chair=<=12
restart
wait 1h                    -> state chair rejected; reported chair failed once; shop chair none
stop
