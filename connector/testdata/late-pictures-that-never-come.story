# late-pictures-that-never-come
# A server of pictures that is away for long costs a try in some hours, however often webhooks come.
# long
list lamp
shop-fails late
start
wait 24h                   -> state lamp partial
wait 48h                   -> calls publish=>=8; calls publish=<=14
supply lamp stock=1
webhook lamp
wait 20s                   -> shop lamp stock=1
supply lamp stock=2
webhook lamp
wait 20s                   -> wrote lamp stock; shop lamp stock=2
stop
