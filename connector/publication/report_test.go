package publication

import (
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A report is owed when status or address is not what the marketplace holds, and the status is one
// that it may be told.
func TestOwe(t *testing.T) {
	const other = "https://shop.example/p/other"
	onSale := store.Record{OnSale: true, URL: tableAddress, UpdatedAt: "u1"}
	off := store.Record{}
	with := func(r store.Record, change func(*store.Record)) store.Record {
		change(&r)
		return r
	}
	reported := func(status store.Status, url string) func(*store.Record) {
		return func(r *store.Record) { r.Reported, r.ReportedURL = status, url }
	}
	problem := func(kind store.ProblemKind) func(*store.Record) {
		return func(r *store.Record) { r.Problem.Kind = kind }
	}
	success, failed := &store.Report{
		Status: store.StatusSuccess,
		URL:    tableAddress,
	}, &store.Report{
		Status: store.StatusFailed,
	}
	refused := func(r *store.Record) { r.ReportError = "not now" }
	unlisted := func(r *store.Record) { r.Removal = store.Removal{Reason: store.RemovalNoListing, Done: true} }
	refusedSuccess := &store.Report{
		Status:    store.StatusSuccess,
		URL:       tableAddress,
		Refusals:  3,
		RefusedAt: store.At(tableNow),
	}
	told := with(onSale, reported(store.StatusSuccess, tableAddress))
	for _, tt := range []struct {
		name   string
		r      store.Record
		owed   *store.Report
		want   string // the report, or nothing
		cancel bool
	}{
		{"on sale", onSale, nil, "success " + tableAddress, false},
		{"on sale without an address", with(onSale, func(r *store.Record) { r.URL = "" }), nil, "success", false},
		{
			"on sale in part", with(onSale, func(r *store.Record) { r.Variants = []store.Variant{{Refused: "no"}, {}} }), nil,
			"success " + tableAddress, false,
		},
		{"on sale and told", told, nil, "", false},
		{"a later change that moves neither", with(told, func(r *store.Record) { r.UpdatedAt = "u2" }), nil, "", false},
		{"another address", with(told, func(r *store.Record) { r.URL = other }), nil, "success " + other, false},
		{
			"the marketplace holds failed", with(onSale, reported(store.StatusFailed, "")), nil, "success " + tableAddress,
			false,
		},
		{"the marketplace holds syncing", with(onSale, reported("syncing", "")), nil, "success " + tableAddress, false},
		{"on sale, and a change meets a transient error", with(told, problem(store.ProblemTransient)), nil, "", false},
		{"on sale, and a change is rejected", with(told, problem(store.ProblemRejected)), nil, "", false},
		{
			"on sale, a change is rejected, and never told", with(onSale, problem(store.ProblemRejected)), nil,
			"success " + tableAddress, false,
		},
		{
			"on sale, and a price is held",
			with(told, func(r *store.Record) { r.Holds = []store.Hold{{Kind: store.HoldPrice}} }), nil, "", false,
		},
		{"on sale, and to go", with(told, func(r *store.Record) { r.Removal.Reason = store.RemovalAbsent }), nil, "", false},

		{"new", off, nil, "", false},
		{"rejected", with(off, problem(store.ProblemRejected)), nil, "failed", false},
		{
			"rejected and told", with(with(off, problem(store.ProblemRejected)), reported(store.StatusFailed, "")), nil, "",
			false,
		},
		{
			"rejected after it was on sale",
			with(with(off, problem(store.ProblemRejected)), reported(store.StatusSuccess, tableAddress)), nil, "failed", false,
		},
		{"failing", with(off, problem(store.ProblemTransient)), nil, "", false},
		{"blocked", with(off, problem(store.ProblemBlocked)), nil, "", false},
		{"waiting for a listing", with(off, problem(store.ProblemWaiting)), nil, "", false},
		{
			"failing too long",
			with(off, func(r *store.Record) { r.Problem = store.Problem{Kind: store.ProblemTransient, Overdue: true} }), nil,
			"failed", false,
		},
		{
			"blocked too long",
			with(off, func(r *store.Record) { r.Problem = store.Problem{Kind: store.ProblemBlocked, Overdue: true} }), nil,
			"failed", false,
		},
		{
			"deleted by hand",
			with(off, func(r *store.Record) { r.Problem = store.Problem{Kind: store.ProblemBlocked, Gone: true} }), nil,
			"failed", false,
		},
		{
			"made by another tool", with(off, func(r *store.Record) { r.Holds = []store.Hold{{Kind: store.HoldForeign}} }), nil,
			"", false,
		},

		{"the same is owed", onSale, success, "", false},
		{"another status is owed", onSale, failed, "success " + tableAddress, false},
		{
			"another address is owed", onSale, &store.Report{Status: store.StatusSuccess, URL: other}, "success " + tableAddress,
			false,
		},
		{"told, and another is owed", told, failed, "", true},
		{"the marketplace refuses it", with(onSale, refused), refusedSuccess, "", false},
		{
			"the marketplace refuses another status", with(with(off, problem(store.ProblemRejected)), refused), refusedSuccess,
			"failed", false,
		},
		{
			"the marketplace refuses another address", with(with(onSale, refused), func(r *store.Record) { r.URL = other }),
			refusedSuccess, "success " + other, false,
		},
		{"the marketplace refuses what it turns out to hold", with(told, refused), refusedSuccess, "", true},
		{"the marketplace refuses what is not true any longer", with(off, refused), refusedSuccess, "", true},
		{"refused, and given up on by an earlier version", with(onSale, refused), nil, "success " + tableAddress, false},

		{
			"gone from the list",
			with(off, func(r *store.Record) { r.Removal = store.Removal{Reason: store.RemovalAbsent, Done: true} }), nil, "",
			false,
		},
		{"gone from the list, and one is owed", with(off, func(r *store.Record) {
			r.Removal = store.Removal{Reason: store.RemovalAbsent, Done: true}
		}), success, "", true},
		{
			"withdrawn for want of a listing", with(with(off, unlisted), reported(store.StatusSuccess, tableAddress)), nil,
			"failed", false,
		},
		{"withdrawn for want of a listing, and success is owed", with(off, unlisted), success, "failed", false},
		{"withdrawn for want of a listing, and failed is owed", with(off, unlisted), failed, "", false},
		{
			"withdrawn for want of a listing, and told", with(with(off, unlisted), reported(store.StatusFailed, "")), nil, "",
			false,
		},
		{
			"for want of a listing to go, and on sale",
			with(told, func(r *store.Record) { r.Removal.Reason = store.RemovalNoListing }), nil, "", false,
		},
		{"its listing is back", with(onSale, reported(store.StatusFailed, "")), failed, "success " + tableAddress, false},
		{"listed again", with(onSale, reported("", "")), nil, "success " + tableAddress, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := store.Settlement{Record: tt.r}
			Owe(&s, tt.owed, tableNow)
			if got := reportText(s.Report); got != tt.want || s.Cancel != tt.cancel {
				t.Errorf("owes %q, cancels %t; want %q, %t", got, s.Cancel, tt.want, tt.cancel)
			}
			if s.Report != nil && (s.Report.UpdatedAt != tt.r.UpdatedAt || s.Report.Since != store.At(tableNow)) {
				t.Errorf("got %+v, want a report of this content from now", *s.Report)
			}
			stays := tt.owed != nil && s.Report == nil && !s.Cancel
			if s.Report != nil && s.Report.Refusals != 0 ||
				(s.Record.ReportError != "") != (stays && tt.r.ReportError != "") {
				t.Errorf("got %+v with the refusal %q, want a refusal of the refused report alone", s.Report, s.Record.ReportError)
			}
		})
	}
}

// A report that is refused stays owed, with its refusals counted and the reason kept; one that took
// its place meanwhile is none of that.
func TestRefuse(t *testing.T) {
	sent := store.Report{ID: "p1", Seq: 7, Status: store.StatusSuccess, URL: tableAddress, Since: 5, Refusals: 2}
	s := store.Settlement{Record: store.Record{ID: "p1", OnSale: true}}
	owed := sent
	if !RefuseReport(&s, &owed, sent, "not now", tableNow) {
		t.Fatal("got nothing to write, want the refusal recorded")
	}
	want := sent
	want.Refusals, want.RefusedAt = 3, store.At(tableNow)
	if s.Report == nil || *s.Report != want || s.Record.ReportError != "not now" || len(s.Record.History) != 1 {
		t.Errorf("got %+v, %+v, want %+v owed, with its reason and a line of history", s.Report, s.Record, want)
	}
	if owed != sent {
		t.Errorf("got the given report changed to %+v, want %+v", owed, sent)
	}
	again := store.Settlement{Record: s.Record}
	if !RemakeReport(&again, s.Report) || again.Report.RefusedAt != 0 || again.Report.Refusals != 3 {
		t.Errorf("got %+v, want it made again now after 3 refusals", again.Report)
	}
	for name, now := range map[string]*store.Report{
		"nothing": nil,
		"another": {ID: "p1", Seq: 8, Status: store.StatusFailed},
	} {
		s := store.Settlement{}
		if RefuseReport(&s, now, sent, "not now", tableNow) || RemakeReport(&s, now) || s.Report != nil ||
			s.Record.ReportError != "" {
			t.Errorf("%s is owed by now: got %+v, want nothing written", name, s)
		}
	}
}

func TestRemadeAt(t *testing.T) {
	refused := tableNow
	for _, tt := range []struct {
		name       string
		refusals   int
		at         time.Time
		woken, now time.Duration // from the refusal
		want       time.Duration // from the refusal, -1: at once
	}{
		{"once", 1, refused, -time.Hour, 0, 2 * time.Second},
		{"twice", 2, refused, -time.Hour, 0, 4 * time.Second},
		{"eleven times", 11, refused, -time.Hour, time.Minute, 2048 * time.Second},
		{"twelve times", 12, refused, -time.Hour, 0, time.Hour},
		{"for ever", 1 << 40, refused, -time.Hour, 0, time.Hour},
		{"all are woken", 12, refused, time.Minute, time.Minute, -1},
		{"all were woken just before", 12, refused, 0, time.Minute, time.Hour},
		{"an enumeration has found it", 12, time.Time{}, -time.Hour, 0, -1},
		{"the clock is set back", 12, refused, -2 * time.Hour, -time.Hour, -1},
	} {
		o := store.Report{Refusals: tt.refusals, RefusedAt: store.At(tt.at)}
		got := RemadeAt(o, refused.Add(tt.woken), refused.Add(tt.now))
		if tt.want < 0 && !got.IsZero() || tt.want >= 0 && !got.Equal(refused.Add(tt.want)) {
			t.Errorf("%s: at %s, want after %s", tt.name, got, tt.want)
		}
	}
}

const tableAddress = "https://shop.example/p/1"

var tableNow = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func reportText(r *store.Report) string {
	if r == nil {
		return ""
	}
	return strings.TrimSpace(string(r.Status) + " " + r.URL)
}
