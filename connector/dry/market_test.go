package dry

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/memorytest"
	"github.com/pubsync/pubsync/store/overlay"
)

func addressOf(id string) string { return "https://shop.example/" + id }

// newStore is a store that knows publications, each on sale.
func newStore(t *testing.T, ids ...string) *bolt.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for _, id := range ids {
		settle(t, s, id, nil)
	}
	return s
}

func settle(t *testing.T, s store.Store, id string, owed *store.Report) {
	t.Helper()
	r := store.Record{ID: id, State: store.StateLive, OnSale: true, URL: addressOf(id), UpdatedAt: "known"}
	if _, err := s.Settle(t.Context(), store.Settlement{Record: r, Report: owed}); err != nil {
		t.Fatal(err)
	}
}

// A looker shows one entry for every id, and counts what it is asked.
type looker struct {
	entry *marketplace.Entry
	fails error
	asked []string
}

func (l *looker) Look(
	_ context.Context, _ marketplace.Priority, ids []string, _ bool,
) (map[string]*marketplace.Entry, error) {
	l.asked = append(l.asked, ids...)
	looks := map[string]*marketplace.Entry{}
	for _, id := range ids {
		looks[id] = l.entry
	}
	return looks, l.fails
}

// there chooses a report whose publication is there.
func there(_ marketplace.Report, look *marketplace.Entry) bool { return look != nil && look.Err == nil }

// The marketplace is looked at once for a report that was owed before the plan, and not for one
// that the plan owes. Its reply echoes what is known.
func TestReportsAreAccepted(t *testing.T) {
	away := errors.New("away")
	for _, tt := range []struct {
		name  string
		seen  looker
		want  map[string]string // the echo of each report that is accepted
		fails error
	}{
		{
			"both are unchanged",
			looker{entry: &marketplace.Entry{UpdatedAt: "known"}},
			map[string]string{"before": "known", "own": "known"},
			nil,
		},
		{
			"the supplier changed it",
			looker{entry: &marketplace.Entry{UpdatedAt: "moved"}},
			map[string]string{"before": "moved", "own": "known"},
			nil,
		},
		{"it is gone", looker{}, map[string]string{"own": "known"}, nil},
		{
			"it cannot be shown",
			looker{entry: &marketplace.Entry{Err: away}},
			map[string]string{"before": "known", "own": "known"},
			nil,
		},
		{"the marketplace is away", looker{fails: away}, map[string]string{}, away},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := newStore(t, "own")
			settle(t, base, "before", &store.Report{Status: store.StatusSuccess, URL: addressOf("before")})
			over, err := overlay.New(t.Context(), base)
			if err != nil {
				t.Fatal(err)
			}
			settle(t, over, "own", &store.Report{Status: store.StatusSuccess, URL: addressOf("own")})
			m := NewMarket(nil, base, over)
			m.real = &tt.seen
			reports := []marketplace.Report{{ID: "before", Status: "success"}, {ID: "own", Status: "success"}}
			got := map[string]string{}
			for range 2 {
				var results []marketplace.Result
				if results, err = m.LookAndReport(t.Context(), marketplace.Urgent, reports, there); err != nil {
					break
				}
				for _, r := range results {
					got[r.ID] = r.UpdatedAt
				}
			}
			if !errors.Is(err, tt.fails) {
				t.Errorf("got %v, want %v", err, tt.fails)
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("accepts %v, want %v", got, tt.want)
			}
			if want := []string{"before"}; !slices.Equal(tt.seen.asked, want) {
				t.Errorf("looks at %v, want %v", tt.seen.asked, want)
			}
		})
	}
}
