// Package fleet works on several accounts in one process: one connector each, begun, ended and begun
// again without touching the others.
//
// # Whose an account is
//
// Without leases every account is this process's own. With [store.Leases] a process works on those
// accounts whose leases it holds, and renews them. Each process tells that it lives, for the time of a
// lease. So each knows how many there are, and what its share is: the accounts divided by the
// processes. A process claims up to its share. It hands over what it holds beyond that once another
// has less than its own. It claims more where an account has been free for a while, since the
// processes need not know the same accounts.
//
// # What an account does to the others
//
// Nothing. The work on an account has a goroutine of its own. A panic, an error and a slow end stay
// there. Work that ends with an error is begun again, with backoff, and at once when the account has
// changed.
//
// # What is lost
//
// An account whose lease is lost is not begun again here until its lease is claimed anew, which
// waits for the end of the work under way. The lease is given up when the work has ended, so that
// two processes never work on one account.
package fleet
