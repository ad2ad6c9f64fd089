# retry-of-very-many
# Hundreds that a person retries together keep waiting neither the one that a person names nor a fresh webhook.
# long
list p[1-400]
shop-fails block text="the product type is missing"
run patience=60m           -> exit 1 blocked 400
shop-works
start
wait 1m
retry failed
wait 5s
retry p390
list lamp
webhook lamp
wait 15s                   -> shop p390 on; shop lamp on; shop p395 none
wait 20m                   -> shop p395 on; shop p1 on
stop
