package store

// A Store is what the connector must not forget, above a KV. Each of its methods is one
// transaction, and none spans a network call.
//
// Some writes must be kept though their caller is being stopped, since they say what has happened
// elsewhere: the end of a look, what a marketplace or a shop answered, a webhook that was
// delivered. Their callers pass [context.WithoutCancel].
//
// The functions given to Change, Begin and PutPage decide on one publication, within the
// transaction. Each is a pure function of the values that it is given: it does not call the store,
// reads no clock, and may run any number of times, of which the last counts. A panic in one ends
// the transaction without a trace and goes on in its caller.
type Store struct{ KV }
