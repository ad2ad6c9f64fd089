# denied-reports
# A token may read and not report: products go on sale, reports stay owed, and nothing pauses.
list lamp
list chair
market deny
run                        -> exit 1 created 2 refused 2; shop lamp on; shop chair on
market heal
run                        -> exit 0 reported 2; reported lamp success; reported chair success
