// Package postgres keeps the stores of any number of accounts in a PostgreSQL database, for any
// number of processes: a KV for each account, all in one table.
//
// # Transactions
//
// A process gathers what waits to be written to an account into one transaction: begin, the
// account's advisory lock, the fence, and the declared keys are sent together, as statements of
// their own, since a statement that waits for the lock and reads would read what was before the
// wait. What is written stays in memory and is sent with the commit. No transaction waits for a
// decision of its client: one that does is ended by the server's timeouts, and one whose client was
// cut off on the way is ended by the next process that waits for its lock.
//
// # Leases
//
// An account is worked on by the process that has its lease: a row with an expiry by the database's
// clock, and a fencing number that grows whenever the lease is taken. Every write of the worker
// checks both under a key share lock of the row, which a take-over waits for, and fails with
// store.ErrFenced. The process itself takes its lease for lost three seconds before the end,
// counted by its monotonic clock from the beginning of the last renewal. Leases have a connection
// of their own.
//
// # Other writers
//
// What a webhook says any process writes, without the lease and the fence: the lock orders it among
// the worker's own transactions. A notification follows, which is a hint. Once a minute one statement
// finds the accounts whose marks have moved.
package postgres
