// Package postgres keeps the stores of any number of accounts in a PostgreSQL database, for any
// number of processes: a KV for each account, all in one table.
//
// A process gathers what waits to be written to an account into one transaction: begin, the
// account's advisory lock, the fence, and the declared keys are sent together, as statements of
// their own, since a statement that waits for the lock and reads would read what was before the
// wait. A transaction whose client hangs is ended by the server's timeouts, and one whose client was
// cut off on the way by the next process that waits for its lock.
//
// An account is worked on by the process that has its lease: a row with an expiry by the database's
// clock, and a fencing number that grows whenever the lease is taken. Every write of the worker
// checks both under a key share lock of the row, which a take-over waits for, and fails with
// store.ErrFenced. The process takes its lease for lost three seconds before the end, counted by its
// monotonic clock from the beginning of the last renewal. Any process writes what a webhook, a
// command or the page says, without the lease; a notification follows, which is a hint.
package postgres
