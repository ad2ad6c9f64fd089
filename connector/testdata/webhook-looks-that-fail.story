# webhook-looks-that-fail
# Signed webhooks for a publication that waits for its next try lead to one look in ten seconds too.
list lamp
start
wait 1m
supply lamp stock=2
shop-fails retry for=lamp on=publish
webhook lamp
wait 10m
webhook lamp; wait 400ms; webhook lamp; wait 400ms; webhook lamp; wait 400ms; webhook lamp; wait 400ms -> reads lamp=<=1
stop
