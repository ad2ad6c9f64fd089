package connector

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const tableAddress = "https://shop.example/p/1"

var tableNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func tablePolicy() policy {
	return policy{
		failAfter: 24 * time.Hour, refreshAfter: 48 * time.Hour,
		backoff: func(attempts int) time.Duration { return time.Duration(attempts) * time.Second },
	}
}

// A prior is a record as a look finds it.
type prior struct {
	name string
	r    store.Record
}

func priors() []prior {
	since := func(d time.Duration) store.Instant { return store.At(tableNow.Add(-d)) }
	base := store.Record{ID: "p1", ReadAt: store.At(tableNow), UpdatedAt: "2026-11-20T11:00:00Z"}
	made := base
	made.ShopID, made.URL, made.WrittenAt, made.OnSale = "shop-1", tableAddress, since(time.Hour), true
	made.Reported, made.ReportedURL = statusSuccess, tableAddress
	made.Variants = []store.Variant{{ID: "v1", Price: "19.95"}}
	with := func(r store.Record, change func(*store.Record)) store.Record {
		r.Variants = slices.Clone(r.Variants)
		change(&r)
		r.State = string(stateOf(r))
		return r
	}
	problem := func(kind string, attempts int, d time.Duration) store.Problem {
		return store.Problem{Kind: kind, Message: "as before", Attempts: attempts, Since: since(d), Last: since(time.Minute)}
	}
	return []prior{
		{"new", with(base, func(*store.Record) {})},
		{"failing", with(base, func(r *store.Record) { r.Problem, r.Attempted = problem(problemTransient, 3, time.Hour), 255 })},
		{"failing a day", with(base, func(r *store.Record) { r.Problem = problem(problemTransient, 30, 24*time.Hour) })},
		{"waiting", with(base, func(r *store.Record) { r.Problem = problem(problemWaiting, 2, 30*time.Hour) })},
		{"refused", with(base, func(r *store.Record) { r.Problem, r.Reported = problem(problemRejected, 1, 30*time.Hour), statusFailed })},
		{"refused change", with(made, func(r *store.Record) { r.Problem = problem(problemRejected, 1, time.Hour) })},
		{"blocked", with(base, func(r *store.Record) { r.Problem = problem(problemBlocked, 2, 30*time.Hour) })},
		{"deleted by hand", with(made, func(r *store.Record) {
			r.OnSale, r.Problem, r.Reported = false, problem(problemBlocked, 1, time.Hour), statusFailed
			r.Problem.Gone = true
		})},
		{"price held", with(made, func(r *store.Record) {
			r.Holds = []store.Hold{{Kind: holdPrice, Variant: "v1", Old: "19.95", New: "39.90"}}
		})},
		{"foreign", with(base, func(r *store.Record) { r.Holds = []store.Hold{{Kind: holdForeign}} })},
		{"partial", with(made, func(r *store.Record) { r.Variants = append(r.Variants, store.Variant{ID: "v2", Refused: "no"}) })},
		{"live", with(made, func(*store.Record) {})},
		{"failing change", with(made, func(r *store.Record) { r.Problem, r.Attempted = problem(problemTransient, 3, 30*time.Hour), 32 })},
		{"leaving", with(made, func(r *store.Record) {
			r.Removal = store.Removal{Reason: removalAbsent, Go: true, At: since(time.Minute)}
		})},
		{"leaving held", with(made, func(r *store.Record) {
			r.Removal, r.Holds = store.Removal{Reason: removalAbsent, At: since(time.Minute)}, []store.Hold{{Kind: holdRemoval}}
		})},
		{"withdrawn", with(made, func(r *store.Record) {
			r.OnSale, r.Removal = false, store.Removal{Reason: removalAbsent, Done: true, At: since(time.Hour)}
		})},
		{"withdrawn, listing gone", with(made, func(r *store.Record) {
			r.OnSale, r.Removal = false, store.Removal{Reason: removalNoListing, Done: true, At: since(time.Hour)}
		})},
	}
}

type tableEvent struct {
	name string
	e    event
}

func tableEvents() []tableEvent {
	failed := func(err *shopadapter.Error) event {
		return event{kind: eventFailed, err: err, content: []byte("content")}
	}
	gone := failed(shopadapter.Block("deleted by hand"))
	gone.gone = true
	return []tableEvent{
		{"unchanged", event{kind: eventUnchanged}},
		{"stands", event{kind: eventStands}},
		{"published", event{kind: eventPublished}},
		{"transient", failed(shopadapter.Retry("no answer"))},
		{"unclassified", failed(shopadapter.Explain(errors.New("odd")))},
		{"told to wait", failed(shopadapter.Retry("429").After(7 * time.Minute))},
		{"rejected", failed(shopadapter.Reject("too long a title"))},
		{"blocked", failed(shopadapter.Block("no such category"))},
		{"blocked shop-wide", failed(shopadapter.Block("key refused").Everywhere())},
		{"deleted by hand", gone},
		{"waiting", event{kind: eventWaiting, err: shopadapter.Retry("no listing yet")}},
		{"removable", event{kind: eventRemovable}},
		{"withdrawn", event{kind: eventWithdrawn}},
	}
}

// TestNext is the state table: from every state, by every way in which a look may end, to the next, with the next look and what is owed.
func TestNext(t *testing.T) {
	var b strings.Builder
	for _, p := range priors() {
		fmt.Fprintf(&b, "%s (%s)\n", p.name, p.r.State)
		for _, e := range tableEvents() {
			r := p.r
			if (e.e.kind == eventRemovable || e.e.kind == eventWithdrawn) && r.Removal.Reason == "" {
				r.Removal = store.Removal{Reason: removalAbsent, At: store.At(tableNow)} // as a look that finds it gone notes it
			}
			if e.e.kind == eventPublished {
				r.URL = tableAddress // as the shop has answered
			}
			before := r
			before.Variants, before.Holds = slices.Clone(r.Variants), slices.Clone(r.Holds)
			s := next(r, e.e, tableNow, tablePolicy())
			if diff := cmp.Diff(before, r); diff != "" {
				t.Errorf("%s, %s: the record that was given is changed:\n%s", p.name, e.name, diff)
			}
			if s.Record.State != string(stateOf(s.Record)) {
				t.Errorf("%s, %s: state %s does not follow from the record, %s does", p.name, e.name, s.Record.State, stateOf(s.Record))
			}
			owe(&s, nil, tableNow)
			fmt.Fprintf(&b, "  %-18s %s\n", e.name, settlementLine(s))
		}
	}
	golden(t, "state.golden", []byte(b.String()))
}

// settlementLine is all of a settlement that the table is about, in one line.
func settlementLine(s store.Settlement) string {
	r := s.Record
	parts := []string{fmt.Sprintf("%-9s", r.State)}
	say := func(yes bool, format string, args ...any) {
		if yes {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	say(r.OnSale, "on sale")
	say(r.Problem.Kind != "", "problem=%s×%d since %s", r.Problem.Kind, r.Problem.Attempts, tableNow.Sub(r.Problem.Since.Time()))
	say(r.Problem.Wide, "wide")
	say(r.Problem.Gone, "gone")
	say(r.Problem.Overdue, "overdue")
	say(len(r.Holds) > 0, "holds=%d", len(r.Holds))
	say(r.Attempted != 0, "unsettled=%s", shopadapter.Fields(r.Attempted))
	say(r.Removal.Done, "out: %s", r.Removal.Reason)
	say(!r.Removal.Done && r.Removal.Reason != "", "to go: %s", r.Removal.Reason)
	say(s.Removed, "counts as a removal")
	if s.Next == nil {
		parts = append(parts, "no next look")
	} else {
		classes := []string{"hook", "new", "sweep", "hint", "full", "refresh"}
		parts = append(parts, fmt.Sprintf("next=%s in %s", classes[s.Next.Class], s.Next.At.Time().Sub(tableNow)))
	}
	say(s.Report != nil, "owes=%s", reportText(s.Report))
	return strings.Join(parts, "; ")
}

func reportText(r *store.Report) string {
	if r == nil {
		return ""
	}
	return strings.TrimSpace(r.Status + " " + r.URL)
}

// The state is the first that fits, for everything that a record may say.
func TestStateOf(t *testing.T) {
	settled := map[string]bool{"": true}
	fits := []struct {
		state State
		when  func(store.Record) bool
	}{
		{StateBlocked, func(r store.Record) bool { return r.Problem.Kind == problemBlocked }},
		{StateRejected, func(r store.Record) bool { return r.Problem.Kind == problemRejected }},
		{StateHeld, func(r store.Record) bool { return len(r.Holds) > 0 }},
		{StatePending, func(r store.Record) bool {
			return !settled[r.Problem.Kind] || !r.Removal.Done && (r.Removal.Reason != "" || !r.OnSale)
		}},
		{StatePartial, func(r store.Record) bool {
			return !r.Removal.Done && len(r.Variants) > 0 && r.Variants[0].Refused != ""
		}},
		{StateLive, func(r store.Record) bool { return !r.Removal.Done }},
		{StateWithdrawn, func(store.Record) bool { return true }},
	}
	if len(fits) != len(States) {
		t.Fatalf("%d states, %d are tested", len(States), len(fits))
	}
	reached := map[State]int{}
	for _, kind := range []string{"", problemTransient, problemWaiting, problemRejected, problemBlocked} {
		for _, removal := range []store.Removal{
			{}, {Reason: removalAbsent}, {Reason: removalNoListing, Go: true}, {Reason: removalAbsent, Done: true},
		} {
			for bits := range 8 {
				r := store.Record{Problem: store.Problem{Kind: kind}, Removal: removal, OnSale: bits&1 != 0}
				if bits&2 != 0 {
					r.Holds = []store.Hold{{Kind: holdPrice}}
				}
				if bits&4 != 0 {
					r.Variants = []store.Variant{{ID: "v1", Refused: "no"}, {ID: "v2"}}
				}
				i := slices.IndexFunc(fits, func(f struct {
					state State
					when  func(store.Record) bool
				},
				) bool {
					return f.when(r)
				})
				if States[i] != fits[i].state {
					t.Fatalf("the order of the states is %v", States)
				}
				if got := stateOf(r); got != fits[i].state {
					t.Errorf("problem %q, removal %+v, on sale %t, %d holds, refused %t: %s, want %s",
						kind, removal, r.OnSale, len(r.Holds), hasRefused(r), got, fits[i].state)
				}
				reached[fits[i].state]++
			}
		}
	}
	for _, s := range States {
		if reached[s] == 0 {
			t.Errorf("nothing leads to %s", s)
		}
	}
}

// A report is owed when status or address is not what the marketplace holds, and the status is one that it may be told.
func TestOwe(t *testing.T) {
	const other = "https://shop.example/p/other"
	onSale := store.Record{OnSale: true, URL: tableAddress, UpdatedAt: "u1"}
	off := store.Record{}
	with := func(r store.Record, change func(*store.Record)) store.Record {
		change(&r)
		return r
	}
	reported := func(status, url string) func(*store.Record) {
		return func(r *store.Record) { r.Reported, r.ReportedURL = status, url }
	}
	problem := func(kind string) func(*store.Record) { return func(r *store.Record) { r.Problem.Kind = kind } }
	success, failed := &store.Report{Status: statusSuccess, URL: tableAddress}, &store.Report{Status: statusFailed}
	told := with(onSale, reported(statusSuccess, tableAddress))
	for _, tt := range []struct {
		name   string
		r      store.Record
		owed   *store.Report
		want   string // the report, or nothing
		cancel bool
	}{
		{"on sale", onSale, nil, "success " + tableAddress, false},
		{"on sale without an address", with(onSale, func(r *store.Record) { r.URL = "" }), nil, "success", false},
		{"on sale in part", with(onSale, func(r *store.Record) { r.Variants = []store.Variant{{Refused: "no"}, {}} }), nil, "success " + tableAddress, false},
		{"on sale and told", told, nil, "", false},
		{"a later change that moves neither", with(told, func(r *store.Record) { r.UpdatedAt = "u2" }), nil, "", false},
		{"another address", with(told, func(r *store.Record) { r.URL = other }), nil, "success " + other, false},
		{"the marketplace holds failed", with(onSale, reported(statusFailed, "")), nil, "success " + tableAddress, false},
		{"the marketplace holds syncing", with(onSale, reported("syncing", "")), nil, "success " + tableAddress, false},
		{"on sale, and a change meets a transient error", with(told, problem(problemTransient)), nil, "", false},
		{"on sale, and a change is rejected", with(told, problem(problemRejected)), nil, "", false},
		{"on sale, a change is rejected, and never told", with(onSale, problem(problemRejected)), nil, "success " + tableAddress, false},
		{"on sale, and a price is held", with(told, func(r *store.Record) { r.Holds = []store.Hold{{Kind: holdPrice}} }), nil, "", false},
		{"on sale, and to go", with(told, func(r *store.Record) { r.Removal.Reason = removalAbsent }), nil, "", false},

		{"new", off, nil, "", false},
		{"rejected", with(off, problem(problemRejected)), nil, "failed", false},
		{"rejected and told", with(with(off, problem(problemRejected)), reported(statusFailed, "")), nil, "", false},
		{"rejected after it was on sale", with(with(off, problem(problemRejected)), reported(statusSuccess, tableAddress)), nil, "failed", false},
		{"failing", with(off, problem(problemTransient)), nil, "", false},
		{"blocked", with(off, problem(problemBlocked)), nil, "", false},
		{"waiting for a listing", with(off, problem(problemWaiting)), nil, "", false},
		{"failing too long", with(off, func(r *store.Record) { r.Problem = store.Problem{Kind: problemTransient, Overdue: true} }), nil, "failed", false},
		{"blocked too long", with(off, func(r *store.Record) { r.Problem = store.Problem{Kind: problemBlocked, Overdue: true} }), nil, "failed", false},
		{"deleted by hand", with(off, func(r *store.Record) { r.Problem = store.Problem{Kind: problemBlocked, Gone: true} }), nil, "failed", false},
		{"made by another tool", with(off, func(r *store.Record) { r.Holds = []store.Hold{{Kind: holdForeign}} }), nil, "", false},

		{"the same is owed", onSale, success, "", false},
		{"another status is owed", onSale, failed, "success " + tableAddress, false},
		{"another address is owed", onSale, &store.Report{Status: statusSuccess, URL: other}, "success " + tableAddress, false},
		{"told, and another is owed", told, failed, "", true},
		{"the marketplace refused it", with(onSale, func(r *store.Record) { r.Refused = "success " + tableAddress }), nil, "", false},
		{"the marketplace refused another", with(onSale, func(r *store.Record) { r.Refused = "success " + other }), nil, "success " + tableAddress, false},

		{"gone from the list", with(off, func(r *store.Record) { r.Removal = store.Removal{Reason: removalAbsent, Done: true} }), nil, "", false},
		{"gone from the list, and one is owed", with(off, func(r *store.Record) {
			r.Removal = store.Removal{Reason: removalAbsent, Done: true}
		}), success, "", true},
		{"withdrawn for want of a listing", with(with(off, func(r *store.Record) {
			r.Removal = store.Removal{Reason: removalNoListing, Done: true}
		}), reported(statusSuccess, tableAddress)), nil, "", false},
		{"listed again", with(onSale, reported("", "")), nil, "success " + tableAddress, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := store.Settlement{Record: tt.r}
			owe(&s, tt.owed, tableNow)
			if got := reportText(s.Report); got != tt.want || s.Cancel != tt.cancel {
				t.Errorf("owes %q, cancels %t; want %q, %t", got, s.Cancel, tt.want, tt.cancel)
			}
			if s.Report != nil && (s.Report.UpdatedAt != tt.r.UpdatedAt || s.Report.Since != store.At(tableNow)) {
				t.Errorf("%+v is not about the content at hand", *s.Report)
			}
		})
	}
}

// FailAfter counts from when the product began to wait for the shop, through transient and blocked errors alike.
func TestFailAfterCounts(t *testing.T) {
	p := tablePolicy()
	transient, blocked, rejected := shopadapter.Retry("no answer"), shopadapter.Block("no stock location"), shopadapter.Reject("no title")
	for _, tt := range []struct {
		name    string
		errs    []*shopadapter.Error // an hour apart
		onSale  bool
		overdue int // the look at which it is first overdue, -1: never
	}{
		{"transient", slices.Repeat([]*shopadapter.Error{transient}, 30), false, 24},
		{"blocked", slices.Repeat([]*shopadapter.Error{blocked}, 30), false, 24},
		{"now one, now the other", slices.Repeat([]*shopadapter.Error{transient, blocked}, 15), false, 24},
		{"rejected in between", append(slices.Repeat([]*shopadapter.Error{transient}, 10),
			append([]*shopadapter.Error{rejected}, slices.Repeat([]*shopadapter.Error{transient}, 30)...)...), false, 35},
		{"rejected alone is told as what it is", slices.Repeat([]*shopadapter.Error{rejected}, 30), false, -1},
		{"an earlier version is on sale", slices.Repeat([]*shopadapter.Error{transient}, 30), true, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, first := store.Record{OnSale: tt.onSale}, -1
			for i, err := range tt.errs {
				r = next(r, event{kind: eventFailed, err: err}, tableNow.Add(time.Duration(i)*time.Hour), p).Record
				if r.Problem.Overdue && first < 0 {
					first = i
				}
			}
			if first != tt.overdue {
				t.Errorf("overdue at look %d, want %d", first, tt.overdue)
			}
		})
	}
}

func TestBackoff(t *testing.T) {
	for _, tt := range []struct {
		attempts   int
		most, span time.Duration
	}{
		{-1, backoffMost, backoffFirst},
		{0, backoffMost, backoffFirst},
		{1, backoffMost, 1500 * time.Millisecond}, // the first retry comes within 2 s
		{2, backoffMost, 2 * backoffFirst},
		{3, backoffMost, 4 * backoffFirst},
		{9, backoffMost, 256 * backoffFirst},
		{10, backoffMost, 10 * time.Minute},
		{1000, backoffMost, 10 * time.Minute},
		{1 << 62, backoffMost, 10 * time.Minute},
		{1, backoffOnce, backoffFirst},
		{3, backoffOnce, 5 * time.Second},
		{1000, backoffOnce, 5 * time.Second},
	} {
		low, high := tt.span, time.Duration(0)
		for range 1000 {
			d := backoff(tt.attempts, tt.most)
			if d < 0 || d >= tt.span {
				t.Fatalf("attempt %d: %s, want less than %s", tt.attempts, d, tt.span)
			}
			low, high = min(low, d), max(high, d)
		}
		// Full jitter: of a thousand some are near either end, but once in 10^45.
		if low > tt.span/10 || high < tt.span*9/10 {
			t.Errorf("attempt %d: between %s and %s, which is not all of %s", tt.attempts, low, high, tt.span)
		}
	}
}

func TestWaitingDelay(t *testing.T) {
	for attempts, want := range map[int]time.Duration{
		-1: time.Minute, 0: time.Minute, 1: time.Minute, 2: 2 * time.Minute, 8: 128 * time.Minute, 9: 4 * time.Hour, 1 << 40: 4 * time.Hour,
	} {
		if got := waitingDelay(attempts); got != want {
			t.Errorf("look %d: %s, want %s", attempts, got, want)
		}
	}
}
