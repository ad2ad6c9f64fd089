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
// The functions given to Begin, Settle, Change and PutPage decide on one publication, within the
// transaction. Each is a pure function of the values that it is given: it does not call the store,
// reads no clock, and may run any number of times, of which the last counts. So an engine may
// repeat a transaction that its database has given up, and its callers know nothing of it. A panic
// in one ends the transaction without a trace and goes on in its caller.
type Store interface {
	Reader
	// Mark makes publications due. That includes publications that the store does not know yet.
	Mark(ctx context.Context, marks ...Mark) error
	// Reschedule moves a mark to a later time without touching the record.
	Reschedule(ctx context.Context, d Rescheduling) error
	// BringForward makes reasons for looks due at an earlier moment, and returns how many. It reads
	// ID and Class of each mark, and skips a reason that is gone or due sooner.
	BringForward(ctx context.Context, to Instant, marks ...Mark) (int, error)
	// Begin records, before anything is sent to the shop, that field groups are being attempted,
	// and claims the SKUs. It returns the SKU that each variant was given, as the attempt's Choose
	// says.
	Begin(ctx context.Context, a Attempt) (assigned map[string]string, err error)
	// Settle ends a piece of work and returns the record as it was written. A mark that arrived
	// since the work began stays: it leads to another look.
	Settle(ctx context.Context, s Settlement) (Record, error)
	// Change makes changes, all in one transaction, and returns how many were made.
	Change(ctx context.Context, changes ...Change) (int, error)
	// PutPage stores a cursor and makes all changes that the entries of a page lead to, in one
	// transaction. An entry whose id is empty or longer than MaxID is passed over.
	PutPage(ctx context.Context, p Page) error
	// EndListing forgets a cursor.
	EndListing(ctx context.Context, e End) error
	// SetMeta sets a fact; "" removes it. The fact "account" is set once: another value is an
	// *AccountError. Facts of the engine's own are refused.
	SetMeta(ctx context.Context, key, value string) error
}
