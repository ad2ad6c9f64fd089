package store

import "context"

// A Store keeps what the connector must not forget. Each method is one transaction and none spans a
// network call.
//
// A method whose context has ended before its transaction begins changes nothing, and returns the
// context's error. Later the end of the context changes nothing: a commit is never given up half
// way. An engine returns context.Canceled or context.DeadlineExceeded for no other reason, see
// [Stopped]. Some writes must be kept though their caller is being stopped, since they say what has
// happened elsewhere: the end of a look, what a marketplace or a shop answered, a webhook that was
// delivered, what points were paid for. Their callers pass [context.WithoutCancel].
//
// The methods may be called from any goroutine. What is written is durable when a method returns.
// The functions given to Change, Begin and PutPage decide on one publication, within the transaction.
// Each is a pure function of the values that it is given: it does not call the store, reads no clock,
// and may run any number of times, of which the last counts. So an engine may repeat a transaction that
// its database has given up, and its callers know nothing of it. A panic in one ends the transaction
// without a trace and goes on in its caller.
type Store interface {
	Reader
	// Mark makes publications due. That includes publications that the store does not know yet. A mark
	// of ClassHint is kept beside the other.
	Mark(ctx context.Context, marks ...Mark) error
	// Change changes entries by one function, all in one transaction, and returns how many it changed:
	// where it returns false nothing is written of an entry. Entry.Known tells it whether the store
	// knows the publication.
	Change(ctx context.Context, ids []string, change func(*Entry) bool) (int, error)
	// Begin is Change of one entry by a function that is told who holds SKUs, by [SKUKey] as [Owners]
	// gives them. Where it fails nothing is written, and Begin returns its error.
	Begin(ctx context.Context, id string, skus []string, change func(e *Entry, owners map[string]string) error) error
	// PutPage stores a cursor and makes all changes that the entries of a page lead to, in one
	// transaction. An entry whose id is empty or longer than MaxID is passed over.
	PutPage(ctx context.Context, p Page) error
	// EndListing forgets a cursor.
	EndListing(ctx context.Context, e End) error
	// SetMeta sets a fact; "" removes it. The fact "account" is set once: another value is an
	// *AccountError. Facts of the engine's own are refused.
	SetMeta(ctx context.Context, key, value string) error
}
