// A change of the supplier is one write that names what changed.

package main_test

import (
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func retext(l *sandbox.Listing, lang string, f func(*sandbox.Text)) {
	t := l.Texts[lang]
	f(&t)
	texts := map[string]sandbox.Text{}
	for k, v := range l.Texts {
		texts[k] = v
	}
	texts[lang] = t
	l.Texts = texts
}

func TestAChangeBetweenReadingAndReportReachesTheShop(t *testing.T) {
	t.Parallel()
	servers := map[string]sandbox.Options{
		"by UPDATED_AT_ASC": {}, "without UPDATED_AT_ASC": {NoUpdatedAtSort: true},
		"updatedAt of a second": {UpdatedAtPrecision: time.Second},
	}
	const atReport = "when the report is made"
	// moments arrange for change to be called with an id at a moment of its first import.
	moments := map[string]func(s *site, change func(id string)){
		"when the content was read": func(s *site, change func(string)) { s.market.OnContentRead(change) },
		atReport:                    func(s *site, change func(string)) { s.market.OnReport(change) },
		"when the shop is written": func(s *site, change func(string)) {
			s.shop.rules(func(r request) reply {
				if r.Method == http.MethodPut {
					change(r.ID)
				}
				return reply{}
			})
		},
	}
	for server, o := range servers {
		for moment, arrange := range moments {
			t.Run(server+", "+moment, func(t *testing.T) {
				s := open(t, o)
				ids := s.lamps(8)
				var mu sync.Mutex
				changed := map[string]bool{}
				arrange(s, func(id string) {
					mu.Lock()
					first := !changed[id]
					changed[id] = true
					mu.Unlock()
					if first {
						if err := s.market.SetPrice(id, "", "11.00", "23.00"); err != nil {
							t.Error(err)
						}
					}
				})
				s.imported()
				if o.UpdatedAtPrecision > 0 || moment == atReport {
					// No updatedAt tells a change within the same second, or one while the report
					// is being taken, from the report's own move. A full reading does.
					s.imported("--full")
				}
				if len(changed) != len(ids) {
					t.Fatalf("%d of %d were changed meanwhile", len(changed), len(ids))
				}
				for _, id := range ids {
					s.matches(id)
					if got := s.reported(id); !slices.Equal(got, []string{"success"}) {
						t.Errorf("%s was reported %v", id, got)
					}
				}
				if o.UpdatedAtPrecision > 0 {
					s.imported() // which may read once more what changed within the second of a reading
				}
				s.shop.forget()
				s.market.Forget()
				s.imported()
				if len(s.shop.requests("")) != 0 || len(s.contentReads()) != 0 {
					t.Errorf("the next run read %v and wrote %d times", s.contentReads(), len(s.shop.requests("")))
				}
			})
		}
	}
}
