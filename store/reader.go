package store

import "context"

// A Reader is a store as far as it can be read.
type Reader interface {
	// Get is what the store holds of one publication.
	Get(ctx context.Context, id string) (Entry, error)
	// List is the records that a query asks for, and the place to go on after, "" at the end. They
	// come in the order of the query's key, see [Query.Place]. There may be fewer than asked for
	// before the end.
	List(ctx context.Context, q Query) (records []Record, after string, err error)
	// Counts is the number of publications in each state.
	Counts(ctx context.Context) (map[State]int, error)
	// Backlog counts what is due, owed and removed at a moment.
	Backlog(ctx context.Context, now Instant) (Backlog, error)
	// Due is the marks that a query asks for, in the order of work. Where there are none, next is
	// when the first becomes due after q.To, for whatever reason, 0 for never.
	Due(ctx context.Context, q DueQuery) (due []Mark, next Instant, err error)
	// Outbox is the owed reports that a query asks for, in the order of their ids, and the id to go
	// on after, "" at the end.
	Outbox(ctx context.Context, q ReportQuery) (reports []Report, after string, err error)
	// Resolve is the ids of the known publications among those given, and of those whose product or
	// listing is named. Each comes once, in order.
	Resolve(ctx context.Context, publications, products, listings []string) ([]string, error)
	// Owners is the publication that holds each of some SKUs, by [SKUKey]. One that is free is missing.
	Owners(ctx context.Context, keys ...string) (map[string]string, error)
	// History is the whole history of a publication, the oldest event first.
	History(ctx context.Context, id string) ([]Event, error)
	// CursorOf is the cursor stored under a name.
	CursorOf(ctx context.Context, name string) (c Cursor, ok bool, err error)
	// Meta is a small fact about the store as a whole, "" when it was never set.
	Meta(ctx context.Context, key string) (string, error)
}
