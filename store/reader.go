package store

// A Reader is a store as far as it can be read.
type Reader interface {
	// Get is what the store holds of one publication.
	Get(id string) (Entry, error)
	// List is the records that a query asks for, in the order of their ids, and the id to go on
	// after, "" at the end.
	List(q Query) (records []Record, after string, err error)
	// Counts is the number of publications in each state.
	Counts() (map[State]int, error)
	// Backlog counts what is due, owed and removed at a moment.
	Backlog(now Instant) (Backlog, error)
	// Due is the marks that a query asks for, in the order of work. Where there are none, next is
	// when the first becomes due after q.To, 0 for never.
	Due(q DueQuery) (due []Mark, next Instant, err error)
	// Outbox is the reports owed behind an id, in the order of their ids, at most limit of them.
	Outbox(after string, limit int) ([]Report, error)
	// Resolve is the ids of the known publications among those given, and of those whose product or
	// listing is named. Each comes once, in order.
	Resolve(publications, products, listings []string) ([]string, error)
	// PreviewSKUs is the SKUs that Begin would assign now.
	PreviewSKUs(id string, order []string, want map[string]string) (assigned map[string]string, err error)
	// CursorOf is the cursor stored under a name.
	CursorOf(name string) (c Cursor, ok bool, err error)
	// Meta is a small fact about the store as a whole, "" when it was never set.
	Meta(key string) (string, error)
}
