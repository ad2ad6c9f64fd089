package store

import "context"

// An Entry is all that the store holds of one publication, as one transaction changes it. It is
// loaded anew for each run of a function.
type Entry struct {
	Record Record
	Known  bool    // false: there is no record, and Record has the id alone, or what is left of a forgotten one
	Mark   *Mark   // why and when it is due; nil: it is not
	Hint   *Mark   // the look that unsigned webhooks ask for, in ClassHint; nil: none do
	Owed   *Report // nil: nothing is
	News   []Event // to be added to its history
	// Removed counts a removal of today.
	Removed bool
	// Forget removes every trace; with Leave but for that it was ours and the SKUs that the shop may hold.
	Forget, Leave bool
}

// Note merges a mark into the entry's.
func (e *Entry) Note(m Mark) {
	if e.Mark == nil {
		e.Mark = &m
		return
	}
	*e.Mark = e.Mark.Merge(m)
}

// Tell adds an event to the history.
func (e *Entry) Tell(ev Event) { e.News = append(e.News, ev) }

// ChangeAll changes every entry that a query finds by one function, a page a transaction, and returns
// how many it changed.
func ChangeAll(ctx context.Context, s Store, q Query, change func(*Entry) bool) (n int, err error) {
	for more := true; more; more = q.After != "" {
		var records []Record
		if records, q.After, err = s.List(ctx, q); err != nil {
			return n, err
		}
		ids := make([]string, len(records))
		for i, r := range records {
			ids[i] = r.ID
		}
		changed, err := s.Change(ctx, ids, func(e *Entry) bool { return e.Known && change(e) })
		if err != nil {
			return n, err
		}
		n += changed
	}
	return n, nil
}
