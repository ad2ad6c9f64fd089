# lost-report
# A status that the marketplace has lost is reported anew at the next enumeration, and nothing is written.
list lamp
list chair
run                        -> created 2
supply lamp status=syncing
run full                   -> exit 0 reported 1; reported lamp success twice; reported chair success once; wrote lamp nothing
