package publication

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func tableSettings() Settings {
	return Settings{
		FailAfter: 24 * time.Hour, RefreshAfter: 48 * time.Hour,
		Backoff: func(attempts int) time.Duration { return time.Duration(attempts) * time.Second },
	}
}

// priors are records as a look finds them.
func priors() map[string]store.Record {
	since := func(d time.Duration) store.Instant { return store.At(tableNow.Add(-d)) }
	base := store.Record{ID: "p1", ReadAt: store.At(tableNow), UpdatedAt: "2026-11-20T11:00:00Z"}
	made := base
	made.ShopID, made.URL, made.WrittenAt, made.OnSale = "shop-1", tableAddress, since(time.Hour), true
	made.Reported, made.ReportedURL = store.StatusSuccess, tableAddress
	made.Variants = []store.Variant{{ID: "v1", Price: "19.95"}}
	with := func(r store.Record, change func(*store.Record)) store.Record {
		r.Variants = slices.Clone(r.Variants)
		change(&r)
		r.State = StateOf(r)
		return r
	}
	problem := func(kind store.ProblemKind, attempts int, d time.Duration) store.Problem {
		return store.Problem{
			Kind:     kind,
			Message:  "as before",
			Attempts: attempts,
			Since:    since(d),
			Last:     since(time.Minute),
		}
	}
	return map[string]store.Record{
		"new": with(base, func(*store.Record) {}),
		"failing": with(base, func(r *store.Record) {
			r.Problem, r.Attempted = problem(store.ProblemTransient, 3, time.Hour), shopadapter.AllFields
		}),
		"failing a day": with(base, func(r *store.Record) {
			r.Problem = problem(store.ProblemTransient, 30, 24*time.Hour)
		}),
		"waiting": with(base, func(r *store.Record) { r.Problem = problem(store.ProblemWaiting, 2, 30*time.Hour) }),
		"untitled a day": with(base, func(r *store.Record) {
			r.Problem, r.UntitledSince = problem(store.ProblemWaiting, 9, 24*time.Hour), since(24*time.Hour)
		}),
		"live, untitled a day": with(made, func(r *store.Record) {
			r.Problem, r.UntitledSince = problem(store.ProblemWaiting, 1, 24*time.Hour), since(24*time.Hour)
		}),
		"refused change": with(made, func(r *store.Record) {
			r.Problem = problem(store.ProblemRejected, 1, time.Hour)
		}),
		"blocked": with(base, func(r *store.Record) { r.Problem = problem(store.ProblemBlocked, 2, 30*time.Hour) }),
		"price held": with(made, func(r *store.Record) {
			r.Holds = []store.Hold{{Kind: store.HoldPrice, Variant: "v1", Old: "19.95", New: "39.90"}}
		}),
		"without a late picture": with(made, func(r *store.Record) {
			r.Missing = []store.Picture{{URL: "https://i/1", Reason: "503", Later: true}}
			r.LateSince, r.LateAt = since(time.Hour), since(time.Second)
		}),
		"live": with(made, func(*store.Record) {}),
		"leaving": with(made, func(r *store.Record) {
			r.Removal = store.Removal{Reason: store.RemovalAbsent, Go: true, At: since(time.Minute)}
		}),
	}
}

// tableEvents are ways in which a look may end.
func tableEvents() map[string]event {
	failed := func(err *shopadapter.Error) event {
		return event{kind: eventFailed, err: err, content: []byte("content")}
	}
	gone := failed(shopadapter.Block("deleted by hand"))
	gone.gone = true
	hidden := failed(shopadapter.Block("hidden by hand"))
	hidden.hidden = true
	return map[string]event{
		"unchanged": {kind: eventUnchanged},
		"published": {kind: eventPublished},
		"picture late": {
			kind: eventPublished, images: true,
			missing: []store.Picture{{URL: "https://i/1", Later: true}, {URL: "https://i/2"}},
		},
		"transient":         failed(shopadapter.Retry("no answer")),
		"told to wait":      failed(shopadapter.Retry("429").After(7 * time.Minute)),
		"rejected":          failed(shopadapter.Reject("too long a title")),
		"blocked":           failed(shopadapter.Block("no such category")),
		"blocked shop-wide": failed(shopadapter.Block("key refused").Everywhere()),
		"deleted by hand":   gone,
		"hidden by hand":    hidden,
		"waiting":           {kind: eventWaiting, err: shopadapter.Retry("no listing yet")},
		"withdrawn":         {kind: eventWithdrawn},
		"sold out":          {kind: eventUnsellable, why: soldOut},
	}
}

// The end of a look leads to the next state, the next look and what is owed.
func TestNext(t *testing.T) {
	for _, tt := range []struct{ before, event, want string }{
		{"new", "published", "live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{"new", "picture late", "partial; on sale; missing=2; late since 0s; next=full in 5s; owes=success address"},
		{"new", "transient", "pending; problem=transient×1 since 0s; next=hook in 1s"},
		{"new", "rejected", "rejected; problem=rejected×1 since 0s; next=refresh in 48h0m0s; owes=failed"},
		{"failing", "transient", "pending; problem=transient×4 since 1h0m0s; unsettled=all; next=new in 4s"},
		{
			"failing a day", "transient",
			"pending; problem=transient×31 since 24h0m0s; overdue; next=new in 31s; owes=failed",
		},
		{
			"failing a day", "told to wait",
			"pending; problem=transient×31 since 24h0m0s; overdue; next=new in 7m0s; owes=failed",
		},
		{"waiting", "waiting", "pending; problem=waiting×3 since 30h0m0s; next=sweep in 4m0s"},
		{
			"untitled a day", "no title",
			"rejected; problem=rejected×1 since 0s; untitled since 24h0m0s; next=refresh in 48h0m0s; owes=failed",
		},
		{
			"live, untitled a day", "no title",
			"rejected; on sale; problem=rejected×1 since 0s; untitled since 24h0m0s; next=refresh in 48h0m0s",
		},
		{"refused change", "published", "live; on sale; next=refresh in 48h0m0s"},
		{
			"blocked", "blocked",
			"blocked; problem=blocked×3 since 30h0m0s; overdue; next=refresh in 48h0m0s; owes=failed",
		},
		{"price held", "unchanged", "held; on sale; holds=1; next=refresh in 48h0m0s"},
		{
			"without a late picture", "picture late",
			"partial; on sale; missing=2; late since 1h0m0s; next=full in 1h0m0s",
		},
		{"live", "rejected", "rejected; on sale; problem=rejected×1 since 0s; next=refresh in 48h0m0s"},
		{"live", "blocked shop-wide", "blocked; on sale; problem=blocked×1 since 0s; wide; next=refresh in 48h0m0s"},
		{
			"live", "deleted by hand",
			"blocked; problem=blocked×1 since 0s; gone; next=refresh in 48h0m0s; owes=failed",
		},
		{"live", "hidden by hand", "blocked; problem=blocked×1 since 0s; hidden; next=refresh in 48h0m0s; owes=failed"},
		{"live", "sold out", "live; unsellable; next=refresh in 48h0m0s"},
		{"leaving", "withdrawn", "withdrawn; out: absent; counts as a removal; no next look"},
	} {
		t.Run(tt.before+"/"+tt.event, func(t *testing.T) {
			r, e := priors()[tt.before], tableEvents()[tt.event]
			if e.kind == eventWithdrawn && r.Removal.Reason == "" {
				// as a look that finds it gone notes it
				r.Removal = store.Removal{Reason: store.RemovalAbsent, At: store.At(tableNow)}
			}
			if e.kind == eventPublished {
				r.URL = tableAddress // as the shop has answered
			}
			if tt.event == "no title" {
				r.UntitledSince = untitledSince(r.UntitledSince, "", tableNow)
				e = tableSettings().untitled(r, shopadapter.Reject("no title"), tableNow)
			}
			before := r
			before.Variants, before.Holds = slices.Clone(r.Variants), slices.Clone(r.Holds)
			s := tableSettings().next(r, e, tableNow)
			if diff := cmp.Diff(before, r); diff != "" {
				t.Errorf("the given record changed:\n%s", diff)
			}
			if s.Record.State != StateOf(s.Record) {
				t.Errorf("state %s does not follow from the record, %s does", s.Record.State, StateOf(s.Record))
			}
			Owe(&s, nil, tableNow)
			if got := settlementLine(s); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// settlementLine is all of a settlement that the table is about, in one line.
func settlementLine(s store.Settlement) string {
	r := s.Record
	parts := []string{string(r.State)}
	say := func(yes bool, format string, args ...any) {
		if yes {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	say(r.OnSale, "on sale")
	say(
		r.Problem.Kind != "", "problem=%s×%d since %s", r.Problem.Kind, r.Problem.Attempts,
		tableNow.Sub(r.Problem.Since.Time()),
	)
	say(r.UntitledSince != 0, "untitled since %s", tableNow.Sub(r.UntitledSince.Time()))
	say(r.Unsellable != "", "unsellable")
	say(r.Problem.Wide, "wide")
	say(r.Problem.Gone, "gone")
	say(r.Problem.Hidden, "hidden")
	say(r.Problem.Overdue, "overdue")
	say(len(r.Holds) > 0, "holds=%d", len(r.Holds))
	say(len(r.Missing) > 0, "missing=%d", len(r.Missing))
	say(r.LateSince != 0, "late since %s", tableNow.Sub(r.LateSince.Time()))
	say(r.Attempted != 0, "unsettled=%s", fieldsText(r.Attempted))
	say(r.Removal.Done, "out: %s", r.Removal.Reason)
	say(!r.Removal.Done && r.Removal.Reason != "", "to go: %s", r.Removal.Reason)
	say(s.Removed, "counts as a removal")
	if s.Next == nil {
		parts = append(parts, "no next look")
	} else {
		classes := []string{"asked", "hook", "new", "sweep", "hint", "full", "refresh"}
		parts = append(parts, fmt.Sprintf("next=%s in %s", classes[s.Next.Class], s.Next.At.Time().Sub(tableNow)))
	}
	say(s.Report != nil, "owes=%s", reportText(s.Report))
	return strings.ReplaceAll(strings.Join(parts, "; "), tableAddress, "address")
}

// fieldsText are names of groups, "all" where they are.
func fieldsText(f shopadapter.Fields) string {
	if f == shopadapter.AllFields {
		return "all"
	}
	return f.String()
}

// A Retry-After with a wrong date holds a publication no longer than it holds the shop.
func TestAnAbsurdRetryAfterPutsNothingOffForYears(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{
		7 * time.Minute:           7 * time.Minute,
		10 * 365 * 24 * time.Hour: MaxRetryAfter,
	} {
		s := tableSettings().next(store.Record{ID: "p"}, event{kind: eventFailed, err: shopadapter.Retry("503").After(after)},
			tableNow)
		if s.Next == nil || s.Next.At != store.At(tableNow.Add(want)) {
			t.Errorf("after a Retry-After of %s the next try is %+v, want one after %s", after, s.Next, want)
		}
	}
}

// A clock that was set back since the content was read does not put off the next reading: it comes
// after RefreshAfter by the clock as it is now, whichever look settles the record.
func TestAClockSetBackPutsOffNoRefresh(t *testing.T) {
	refresh := tableSettings().RefreshAfter
	by := &Decider{Settings: tableSettings()}
	for name, tt := range map[string]struct {
		readAt, want time.Time
	}{
		"read an hour ago":        {tableNow.Add(-time.Hour), tableNow.Add(refresh - time.Hour)},
		"read in ten years' time": {tableNow.AddDate(10, 0, 0), tableNow.Add(refresh)},
	} {
		r := store.Record{ID: "p", ShopID: "shop-1", OnSale: true, ReadAt: store.At(tt.readAt)}
		for how, s := range map[string]store.Settlement{
			"a look that finds nothing to write": by.next(r, event{kind: eventUnchanged}, tableNow),
			"a look that the shop refuses": by.next(
				r, event{kind: eventFailed, err: shopadapter.Reject("no")}, tableNow,
			),
			"a look that is skipped": by.Skip(r, store.Mark{ID: "p"}, tableNow),
		} {
			if s.Next == nil {
				t.Errorf("%s, %s: got no next look, want one at %s", name, how, tt.want)
				continue
			}
			if got := s.Next.At.Time(); !got.Equal(tt.want) {
				t.Errorf("%s, %s: the next look is at %s, want %s", name, how, got, tt.want)
			}
		}
	}
}

// FailAfter counts from when the product began to wait for the shop, through transient and blocked
// errors alike.
func TestFailAfterCounts(t *testing.T) {
	p := tableSettings()
	transient, blocked, rejected := shopadapter.Retry("no answer"), shopadapter.Block(
		"no stock location",
	), shopadapter.Reject("no title")
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
				r = p.next(r, event{kind: eventFailed, err: err}, tableNow.Add(time.Duration(i)*time.Hour)).Record
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

// A listing without a title is looked at seldom, and at the very end of its wait.
func TestUntitledWaits(t *testing.T) {
	p := tableSettings()
	r := store.Record{}
	at, looks := tableNow, 0
	for r.Problem.Kind != store.ProblemRejected {
		r.UntitledSince = untitledSince(r.UntitledSince, "", at)
		s := p.next(r, p.untitled(r, shopadapter.Reject("no title"), at), at)
		if looks++; looks > 20 {
			t.Fatalf("got %d looks and no end, want FailAfter to end them", looks)
		}
		r = s.Record
		if r.Problem.Kind == store.ProblemWaiting {
			at = s.Next.At.Time()
		}
	}
	if looks < 5 || looks > 11 {
		t.Errorf("got %d looks, want 5 to 11", looks)
	}
	if got := at.Sub(tableNow); got != p.FailAfter {
		t.Errorf("got it rejected after %s, want %s", got, p.FailAfter)
	}
	for _, tt := range []struct {
		name   string
		before store.Instant
		title  string
		want   store.Instant
	}{
		{"none at first", 0, "", store.At(tableNow)},
		{"none still", store.At(tableNow) - 5, "", store.At(tableNow) - 5},
		{"one comes", store.At(tableNow) - 5, "Lamp", 0},
		{"the clock is set back", store.At(tableNow) + 5, "", store.At(tableNow)},
	} {
		if got := untitledSince(tt.before, tt.title, tableNow); got != tt.want {
			t.Errorf("%s: since %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestWaitingDelay(t *testing.T) {
	for attempts, want := range map[int]time.Duration{
		-1: time.Minute, 0: time.Minute, 1: time.Minute, 2: 2 * time.Minute, 8: 128 * time.Minute, 9: 4 * time.Hour,
		1 << 40: 4 * time.Hour,
	} {
		if got := waitingDelay(attempts); got != want {
			t.Errorf("look %d: %s, want %s", attempts, got, want)
		}
	}
}
