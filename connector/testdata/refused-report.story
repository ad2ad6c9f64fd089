# refused-report
# A report that the marketplace refuses stays owed, counts as refused, and is made again.
list lamp
market refuse lamp
run                        -> exit 1 refused 1; shop lamp on; state lamp live
explain lamp "refused"
market heal
run                        -> exit 0 refused 0 reported 1; reported lamp success
