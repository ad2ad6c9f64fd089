# another-tools
# An entry that the marketplace calls a success, and that neither store nor shop knows, is another tool's.
with lists
list lamp status=success
list chair
run                        -> exit 1 held 1 created 1; shop lamp none; shop chair on
state lamp held "another tool made it"
approve lamp
run                        -> exit 0; shop lamp on; reported lamp success
