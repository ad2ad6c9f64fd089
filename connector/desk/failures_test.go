package desk

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/store"
)

func TestCause(t *testing.T) {
	problem := func(state store.State, message string) store.Record {
		return store.Record{State: state, Problem: store.Problem{Kind: store.ProblemRejected, Message: message}}
	}
	for _, tt := range []struct {
		name string
		r    store.Record
		want string
	}{
		{
			"numbers", problem(store.StateRejected, "the title has 312 characters, 255 fit"),
			"the title has … characters, … fit",
		},
		{"quotes", problem(store.StateBlocked, `category "Lamps & Co" is not known`), "category … is not known"},
		{"an address", problem(store.StatePending, "GET https://shop.example/a/b: no route"), "GET … no route"},
		{"an id", problem(store.StatePending, "product p00000011rfswuc is locked"), "product … is locked"},
		{"a price", problem(store.StateRejected, "1,234.50 is too much"), "… is too much"},
		{"a time", problem(store.StatePending, "after 2026-11-24T10:00:00Z: no"), "after …: no"},
		{"no trouble", store.Record{State: store.StateLive}, ""},
		{
			"a report",
			store.Record{State: store.StateLive, ReportError: "listing 7 is locked"},
			"report refused: listing … is locked",
		},
		{
			"a variant", store.Record{
				State:    store.StatePartial,
				Variants: []store.Variant{{Title: "Red"}, {Title: "40 × 28 cm", Refused: "it has no msrp"}},
			}, "without a variant: it has no msrp",
		},
		{
			"a picture",
			store.Record{State: store.StatePartial, Missing: []store.Picture{{Reason: "404"}}},
			"without a picture: …",
		},
		{"held", store.Record{State: store.StateHeld, Holds: []store.Hold{{Kind: store.HoldPrice, Reason: "far"}}}, ""},
		{"long", problem(store.StateRejected, strings.Repeat("ä", 400)), strings.Repeat("ä", longestCause/2) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := causeOf(tt.r); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// troubled is publications in trouble, of which two share their cause.
func troubled() []store.Record {
	at := store.At(time.Date(2026, 11, 3, 10, 0, 0, 0, time.UTC))
	event := func(minute int, what string) []store.Event {
		return []store.Event{{At: at + store.Instant(minute*60_000), What: what}}
	}
	rejected := func(id, message string) store.Record {
		return store.Record{
			ID: id, Title: "Lamp " + id, State: store.StateRejected,
			Problem: store.Problem{Kind: store.ProblemRejected, Message: message},
		}
	}
	records := []store.Record{
		rejected("1", "the title has 300 characters"), rejected("2", "the price is too high"),
		rejected("3", "the title has 412 characters"),
		{ID: "4", State: store.StateLive, Title: "Chair"},
	}
	for i, what := range []string{"rejected", "created", "updated", "withdrawn"} {
		records[i].History = event([]int{2, 4, 1, 3}[i], what)
	}
	return records
}

func TestFailuresInGroups(t *testing.T) {
	o := newOffice(t, troubled()...)
	c, _ := o.client(t)
	got, err := c.Failures(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	titles := FailureName{State: store.StateRejected, Cause: "the title has … characters"}
	want := Failures{Groups: []Failure{
		{FailureName: titles, Publications: 2, ID: "1", Title: "Lamp 1", Tried: true},
		{
			FailureName:  FailureName{State: store.StateRejected, Cause: "the price is too high"},
			Publications: 1, ID: "2", Title: "Lamp 2", Tried: true,
		},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	list, err := c.Publications(t.Context(), Query{Cause: titles.Cause, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	if got := idsOf(list); got != "1 3" {
		t.Errorf("of the cause %q, want 1 3", got)
	}
}

func TestRetrySome(t *testing.T) {
	for _, tt := range []struct {
		name   string
		chosen Chosen
		count  int
		due    string
		class  store.Class
	}{
		{"by id", Chosen{IDs: []string{"2", "4", "unknown"}}, 2, "2 4", store.ClassAsked},
		{
			"a group",
			Chosen{Group: &FailureName{State: store.StateRejected, Cause: "the title has … characters"}},
			2, "1 3", store.ClassNew,
		},
		{
			"a group that is gone",
			Chosen{Group: &FailureName{State: store.StateRejected, Cause: "the moon"}},
			0, "", store.ClassNew,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := newOffice(t, troubled()...)
			c, _ := o.client(t)
			asked, err := c.RetrySome(t.Context(), tt.chosen)
			if err != nil {
				t.Fatal(err)
			}
			if asked.Count != tt.count {
				t.Errorf("count %d, want %d", asked.Count, tt.count)
			}
			var due []string
			for _, r := range troubled() {
				m := o.entry(t, r.ID).Mark
				if m == nil {
					continue
				}
				due = append(due, r.ID)
				if m.Class != tt.class {
					t.Errorf("class %v of %s, want %v", m.Class, r.ID, tt.class)
				}
			}
			if got := strings.Join(due, " "); got != tt.due {
				t.Errorf("due %q, want %q", got, tt.due)
			}
		})
	}
}

func TestRetryOfNothingIsRefused(t *testing.T) {
	o := newOffice(t)
	for _, body := range []string{`{}`, `{"ids":["1"],"group":{"state":"rejected","cause":"x"}}`, `[`} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/retry", strings.NewReader(body))
		w := httptest.NewRecorder()
		o.handler.ServeHTTP(w, r)
		if w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d, want %d", body, w.Code, http.StatusBadRequest)
		}
	}
}

func TestFeedIsTheNewest(t *testing.T) {
	o := newOffice(t, troubled()...)
	c, _ := o.client(t)
	feed, err := c.Recent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range feed.Events {
		got = append(got, e.Title+" "+e.What)
	}
	want := []string{"Lamp 2 created", "Chair withdrawn", "Lamp 1 rejected", "Lamp 3 updated"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A feed of many events keeps the newest, wherever they stand in the list.
func TestFeedIsBounded(t *testing.T) {
	var f feeder
	const many = 5 * mostFeed
	for i := range many {
		at := store.Instant((i*7919)%many + 1) // each once, in no order
		f.add(store.Record{ID: fmt.Sprint(i), History: []store.Event{{At: at}}})
	}
	f.cut()
	if len(f.events) != mostFeed {
		t.Fatalf("%d events, want %d", len(f.events), mostFeed)
	}
	if newest, oldest := f.events[0].At.UnixMilli(), f.events[mostFeed-1].At.UnixMilli(); newest != many ||
		oldest != many-mostFeed+1 {
		t.Errorf("from %d to %d, want from %d to %d", newest, oldest, many, many-mostFeed+1)
	}
}

// Shops whose messages all differ do not make the index large.
func TestCausesAreBounded(t *testing.T) {
	var records []store.Record
	for i := range mostCauses + 10 {
		letters := strings.Map(func(r rune) rune { return r - '0' + 'a' }, fmt.Sprintf("%05d", i))
		records = append(records, store.Record{
			ID: letters, State: store.StateRejected,
			Problem: store.Problem{Kind: store.ProblemRejected, Message: "no " + letters},
		})
	}
	o := newOffice(t, records...)
	made, err := scan(t.Context(), o.store, o.local.Rules.Price)
	if err != nil {
		t.Fatal(err)
	}
	if len(made.causes) != mostCauses {
		t.Errorf("%d causes, want %d", len(made.causes), mostCauses)
	}
	all := made.failures()
	if f := all.Groups[0]; f.Cause != otherCauses || f.Publications != 12 {
		t.Errorf("first %v, want 12 of %q", f, otherCauses)
	}
	if want := mostCauses - 1 - mostFailures; all.More != want {
		t.Errorf("more %d, want %d", all.More, want)
	}
}
