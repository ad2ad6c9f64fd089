// Package postgres keeps the stores of any number of accounts in a PostgreSQL database, for any
// number of processes.
//
// # Transactions
//
// No transaction waits for its client. A method that only reads is one round trip. A method that
// writes reads in one round trip, decides, and writes in another, which is one transaction of
// several statements sent together. Each row has a version. Where a row is not as it was read, or
// PostgreSQL gives the transaction up, the engine decides once more on what is there then. So no
// lock outlives a process that hangs, and what a caller's function is given is never half written.
//
// # Leases
//
// An account is worked on by the process that has its lease: a row with an expiry by the database's
// clock, and a fencing number that grows whenever the lease is taken. Every write checks the number
// and the expiry, and locks the row for share until it has committed, while a lease is taken under
// a lock for update. So a process that was thought dead and comes back can write nothing: the error
// is store.ErrFenced. The process itself takes the lease for lost three seconds before its end,
// counted by its own monotonic clock from the beginning of the last renewal.
//
// # What is kept in memory
//
// Only the owner of a lease changes an account, but for the marks that any process accepts. So a
// process that listens to what others accept keeps the answers to what an idle worker asks: what is
// due next, the backlog, the counts, an empty outbox, facts and cursors. They are forgotten before
// and after each write, with each notification, and when the lease or the listening connection is
// lost. Once a minute one statement finds the accounts that have something due, for all that the
// process works on, in case that a notification was lost.
//
// # Schema
//
// The tables are in the schema pubsync. They are made and changed by numbered migrations, one
// process at a time. A schema of a newer version is refused. Records, marks, reports, cursors and
// facts are kept in the form of package value; what queries ask for is in columns beside them. A
// row carries the number of its account, and each query reads by an index that begins with it.
package postgres
