package store

// A Store keeps what the connector must not forget. Each method is one transaction and none spans a
// network call. None takes a context: each is short, and what has been done must be kept though its
// caller is being stopped. An engine over a network bounds them by itself.
//
// The methods may be called from any goroutine. What is written is durable when a method returns.
// The functions given to Begin, Settle, Change and PutPage decide on one publication, within the
// transaction: they do not call the store, and they may run twice. A panic in one ends the
// transaction without a trace and goes on in its caller.
type Store interface {
	Reader
	// Mark makes publications due. A publication that the store does not know yet is remembered as
	// due all the same.
	Mark(marks ...Mark) error
	// Defer moves a mark to a later time without touching the record.
	Defer(d Deferral) error
	// Hasten has reasons for looks come due at a moment that lies before their own, and returns how
	// many. Of each mark ID and Class are read: a reason that has gone since is passed over.
	Hasten(to Instant, marks ...Mark) (int, error)
	// Begin notes, before anything is sent to the shop, that field groups are being attempted, and
	// claims the SKUs. It returns what each variant got: the SKU that it wants, or that with a
	// suffix where another variant has it.
	Begin(a Attempt) (assigned map[string]string, err error)
	// Settle ends a piece of work and returns the record as it was written. A mark that arrived
	// since the work began stays: it leads to another look.
	Settle(s Settlement) (Record, error)
	// Change makes changes, all in one transaction, and returns how many were made.
	Change(changes ...Change) (int, error)
	// PutPage stores a cursor and makes all changes that the entries of a page lead to, in one
	// transaction. An entry whose id is empty or longer than MaxID is passed over.
	PutPage(p Page) error
	// EndListing forgets a cursor.
	EndListing(e End) error
	// SetMeta sets a fact; "" removes it. The fact "account" is set once: another value is an
	// *AccountError. Facts of the engine's own are refused.
	SetMeta(key, value string) error
}
