package keyed_test

import (
	stdcmp "cmp"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// A model is the store as one would explain it: maps, and no more.
type model struct {
	records map[string]store.Record
	marks   map[string]store.Mark
	reports map[string]store.Report
	seen    map[string]bool
	cursor  store.Cursor
	gen     uint64 // the highest met
}

func (m *model) mark(n store.Mark) {
	if old, ok := m.marks[n.ID]; ok {
		n = old.Merge(n)
	}
	n.Gen = 0 // a new one, which Check learns
	m.marks[n.ID] = n
}

// due is the marks in the order of work, each by the more urgent of what it is due for.
func (m *model) due(now store.Instant) (ids []string) {
	var due []store.Mark
	for _, n := range m.marks {
		if hint := n.As(store.ClassHint); hint.Class != n.Class && hint.At <= now && n.Hint != 0 &&
			(n.At > now || n.Class > store.ClassHint) {
			n = hint
		}
		if n.At <= now {
			due = append(due, n)
		}
	}
	slices.SortFunc(due, func(a, b store.Mark) int {
		return stdcmp.Or(stdcmp.Compare(a.Class, b.Class), stdcmp.Compare(a.At, b.At), stdcmp.Compare(a.ID, b.ID))
	})
	for _, n := range due {
		ids = append(ids, n.ID)
	}
	return ids
}

// put is what a settlement leaves.
func (m *model) put(w store.Settlement) {
	id := w.Record.ID
	if w.Forget {
		delete(m.records, id)
		delete(m.reports, id)
		return
	}
	m.records[id] = w.Record
	if w.Next != nil {
		next := *w.Next
		next.ID = id
		m.mark(next)
	}
	switch {
	case w.Cancel:
		delete(m.reports, id)
	case w.Report != nil:
		m.reports[id] = store.Report{ID: id, Status: w.Report.Status, Refusals: w.Report.Refusals}
	}
}
