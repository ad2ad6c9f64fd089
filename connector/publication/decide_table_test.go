package publication

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// takes is a shop that takes everything.
func takes(d Decision) Outcome {
	if d.Step == Unpublish {
		return Outcome{}
	}
	return Outcome{Listing: shopadapter.Listing{ID: "shop-1", URL: tableAddress}}
}

// drive carries decisions out until the look ends. steps are in words what was asked for.
func drive(d Decision, shop func(Decision) Outcome) (steps []string, s store.Settlement) {
	for d.Step != Settle {
		if d.Step == Compare {
			_, skus := d.Wishes()
			d = d.Compared(Facts{SKUs: skus})
			continue
		}
		switch {
		case d.Step == Unpublish:
			steps = append(steps, d.Removal.String())
		case d.Creates():
			steps = append(steps, "create")
		default:
			steps = append(steps, "update "+d.Changed.String())
		}
		if a, ok := d.Attempt(); ok {
			d = d.Attempted(a.Assign(nil))
		}
		d = d.Concluded(shop(d), tableNow)
	}
	s = d.Settlement(tableNow)
	s.Merge(d.Before(), nil, &s)
	return steps, s
}

// tableDecider is a decider of plain rules.
func tableDecider(t *testing.T, change func(*Settings)) *Decider {
	s := tableSettings()
	s.Rules, s.Brake = Rules{
		Languages: []string{"en"}, Price: PriceRule{Base: BaseMSRP}, Details: true,
	}, brakeOf(t, "50", "20")
	s.OnRemoved, s.OnDeleted, s.Lists = RemovedUnpublish, DeletedKeep, func() bool { return true }
	if change != nil {
		change(&s)
	}
	return NewDecider(s)
}

// bench is what the table is about: a publication with one variant.
func bench(change func(*marketplace.Publication)) *marketplace.Publication {
	n := 5
	p := &marketplace.Publication{ID: "p1", UpdatedAt: "2026-11-20T11:30:00Z", Listing: &marketplace.Listing{
		ID: "l1", ProductID: "d1", Translations: map[string]marketplace.Translation{"en": {Title: "Bench"}},
		Details: true, Asked: everyField, Pictured: "original",
		Variants: []marketplace.Variant{{ID: "v1", SKU: "B-1", Cost: "10.00", MSRP: "20.00", Quantity: &n}},
	}}
	change(p)
	return p
}

// TestDecide is the table of looks: from every state, by all that may be read and for every reason,
// to what is asked of the shop and what is settled.
func TestDecide(t *testing.T) {
	by := tableDecider(t, nil)
	_, made := drive(
		by.Decide(
			store.Record{ID: "p1"}, store.Mark{ID: "p1"},
			Seen{Publication: bench(func(*marketplace.Publication) {}), At: tableNow},
		),
		takes,
	)
	live := made.Record
	live.Reported, live.ReportedURL, live.ReportedAt, live.History = store.StatusSuccess, tableAddress, store.At(
		tableNow,
	)-1, nil
	with := func(r store.Record, change func(*store.Record)) store.Record {
		r.Variants = slices.Clone(r.Variants)
		change(&r)
		r.State = StateOf(r)
		return r
	}
	problem := func(kind store.ProblemKind) store.Problem {
		return store.Problem{
			Kind:     kind,
			Message:  "as before",
			Attempts: 1,
			Since:    store.At(tableNow) - 1000,
			Last:     store.At(tableNow) - 1000,
		}
	}
	fresh := store.Record{ID: "p1"}
	records := []struct {
		name string
		r    store.Record
	}{
		{"new", fresh},
		{"attempted, with no answer", with(fresh, func(r *store.Record) {
			r.Attempted, r.Open, r.Problem = shopadapter.AllFields, true, problem(store.ProblemTransient)
		})},
		{"rejected", with(fresh, func(r *store.Record) {
			r.Problem = problem(store.ProblemRejected)
			r.Problem.Content = fingerprintOf(
				by.mapper.desire(bench(func(*marketplace.Publication) {}), fresh, tableNow).product,
			).content()
		})},
		{"live", live},
		{"live, an update with no answer", with(live, func(r *store.Record) {
			r.Attempted, r.Open, r.Problem = shopadapter.FieldPrice, true, problem(store.ProblemTransient)
		})},
		{"live, from a backup", with(live, Suspect)},
		{"partial", with(live, func(r *store.Record) { r.Variants[0].Refused = "no" })},
		{"edited by the merchant", with(live, func(r *store.Record) { r.Kept = shopadapter.FieldTitle })},
		{"deleted by hand", with(live, func(r *store.Record) {
			r.OnSale, r.Attempted, r.Open, r.Problem = false, shopadapter.AllFields, true, problem(store.ProblemBlocked)
			r.Problem.Gone = true
		})},
		{"hidden by hand", with(live, func(r *store.Record) { hide(r, tableNow) })},
		{
			"to leave",
			with(live, func(r *store.Record) { r.Removal = store.Removal{Reason: store.RemovalAbsent, At: 1} }),
		},
		{
			"to leave, judged",
			with(
				live,
				func(r *store.Record) { r.Removal = store.Removal{Reason: store.RemovalAbsent, At: 1, Go: true} },
			),
		},
		{"leaving, with no answer", with(live, func(r *store.Record) {
			r.Removal = store.Removal{Reason: store.RemovalAbsent, At: 1, Go: true, Begun: true}
			r.Attempted, r.Open = shopadapter.AllFields, true
		})},
		{"withdrawn", with(live, func(r *store.Record) {
			r.OnSale, r.Removal = false, store.Removal{Reason: store.RemovalAbsent, At: 1, Done: true}
		})},
		{"to leave for want of a listing, judged", with(live, func(r *store.Record) {
			r.Removal = store.Removal{Reason: store.RemovalNoListing, At: 1, Go: true}
		})},
		{"withdrawn for want of a listing", with(live, func(r *store.Record) {
			r.OnSale, r.Removal = false, store.Removal{Reason: store.RemovalNoListing, At: 1, Done: true}
			r.Reported, r.ReportedURL = store.StatusFailed, ""
		})},
	}
	readings := []struct {
		name string
		pub  *marketplace.Publication
	}{
		{"gone", nil},
		{"no listing", bench(func(p *marketplace.Publication) { p.Listing = nil })},
		{
			"no listing, a success",
			bench(func(p *marketplace.Publication) { p.Listing, p.Status = nil, string(store.StatusSuccess) }),
		},
		{"no variant", bench(func(p *marketplace.Publication) { p.Listing.Variants = nil })},
		{"no title", bench(func(p *marketplace.Publication) { p.Listing.Translations = nil })},
		{"no price", bench(func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "" })},
		{"too long", bench(func(p *marketplace.Publication) { p.Listing.ID = strings.Repeat("x", MaxIdent+1) })},
		{"as it was", bench(func(*marketplace.Publication) {})},
		{"another price", bench(func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "22.00" })},
		{"a price too far", bench(func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "99.00" })},
		{"success elsewhere", bench(func(p *marketplace.Publication) { p.Status = string(store.StatusSuccess) })},
	}
	var b strings.Builder
	for _, r := range records {
		fmt.Fprintf(&b, "%s (%s)\n", r.name, r.r.State)
		for _, reading := range readings {
			for _, cause := range []store.Cause{store.CauseSeen, store.CauseAsked} {
				before := r.r
				before.Variants, before.Holds = slices.Clone(before.Variants), slices.Clone(before.Holds)
				steps, s := drive(
					by.Decide(r.r, store.Mark{ID: "p1", Cause: cause}, Seen{Publication: reading.pub, At: tableNow}),
					takes,
				)
				if diff := cmp.Diff(before, r.r); diff != "" {
					t.Errorf("%s, %s: got the given record changed, want it as it was:\n%s", r.name, reading.name, diff)
				}
				if len(steps) == 0 {
					steps = []string{"nothing"}
				}
				asked := ""
				if cause == store.CauseAsked {
					asked = ", asked"
				}
				end := "forgotten"
				if !s.Forget {
					end = settlementLine(s)
				}
				fmt.Fprintf(&b, "  %-26s %s: %s\n", reading.name+asked, strings.Join(steps, ", "), end)
			}
		}
	}
	golden(t, "decide.golden", []byte(b.String()))
}

// The shop's answer decides the next step: another try for a listing deleted by hand, a withdrawal
// where an earlier attempt may have left one on sale.
func TestConclude(t *testing.T) {
	sound := Seen{Publication: bench(func(*marketplace.Publication) {}), At: tableNow}
	_, made := drive(tableDecider(t, nil).Decide(store.Record{ID: "p1"}, store.Mark{ID: "p1"}, sound), takes)
	changed := Seen{
		Publication: bench(func(p *marketplace.Publication) { p.Listing.Variants[0].Quantity = nil }),
		At:          tableNow.Add(time.Hour),
	}
	open := made.Record
	open.OnSale, open.Open, open.Attempted = false, true, shopadapter.AllFields
	answers := func(errs ...error) func(Decision) Outcome {
		return func(d Decision) Outcome {
			o := takes(d)
			if len(errs) > 0 {
				o.Err, errs = errs[0], errs[1:]
				o.Listing = shopadapter.Listing{}
			}
			return o
		}
	}
	refuses := func(d Decision) Outcome {
		o := takes(d)
		o.Listing.Refused = map[string]string{"v1": "no"}
		return o
	}
	for _, tt := range []struct {
		name  string
		r     store.Record
		tune  func(*Settings)
		shop  func(Decision) Outcome
		steps []string
		state store.State
	}{
		{"taken", made.Record, nil, takes, []string{"update stock"}, store.StateLive},
		{
			"no answer", made.Record, nil, answers(shopadapter.Retry("no answer")),
			[]string{"update stock"},
			store.StatePending,
		},
		{"deleted by hand", made.Record, nil, answers(shopadapter.ErrGone), []string{"update stock"}, store.StateBlocked},
		{
			"deleted by hand, to be made anew", made.Record, func(s *Settings) { s.OnDeleted = DeletedRecreate },
			answers(shopadapter.ErrGone),
			[]string{"update stock", "create"},
			store.StateLive,
		},
		{
			"deleted again and again", made.Record, func(s *Settings) { s.OnDeleted = DeletedRecreate },
			answers(shopadapter.ErrGone, shopadapter.ErrGone),
			[]string{"update stock", "create"},
			store.StateBlocked,
		},
		{"hidden by hand", made.Record, nil, answers(shopadapter.ErrHidden), []string{"update stock"}, store.StateBlocked},
		{
			"refused, an earlier version is on sale", made.Record, nil, answers(shopadapter.Reject("no")),
			[]string{"update stock"},
			store.StateRejected,
		},
		{
			"refused, and an earlier attempt may be on sale", open, nil, answers(shopadapter.Reject("no")),
			[]string{"update " + shopadapter.AllFields.String(), "unpublish"},
			store.StateRejected,
		},
		{
			"refused, and what may be on sale cannot be taken out", open, nil,
			answers(shopadapter.Reject("no"), shopadapter.Retry("no answer")),
			[]string{"update " + shopadapter.AllFields.String(), "unpublish"},
			store.StatePending,
		},
		{"every variant refused", made.Record, nil, refuses, []string{"update stock"}, store.StateRejected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			by := tableDecider(t, tt.tune)
			steps, s := drive(by.Decide(tt.r, store.Mark{ID: "p1", Cause: store.CauseSeen}, changed), tt.shop)
			if diff := cmp.Diff(tt.steps, steps); diff != "" || s.Record.State != tt.state {
				t.Errorf("%s (%s), want %s\n%s", s.Record.State, s.Record.Problem.Message, tt.state, diff)
			}
		})
	}
}

// A plan names what an update changes, and a listing that comes back.
func TestChangesNameAnUpdate(t *testing.T) {
	by := tableDecider(t, nil)
	sound := Seen{Publication: bench(func(*marketplace.Publication) {}), At: tableNow}
	_, made := drive(by.Decide(store.Record{ID: "p1"}, store.Mark{ID: "p1"}, sound), takes)
	decide := func(r store.Record, cause store.Cause, change func(*marketplace.Publication)) Decision {
		d := by.Decide(r, store.Mark{ID: "p1", Cause: cause}, Seen{Publication: bench(change), At: tableNow})
		_, skus := d.Wishes()
		if d.Step == Compare {
			d = d.Compared(Facts{SKUs: skus})
		}
		return d
	}
	same := func(*marketplace.Publication) {}
	withdrawn, doubtful, unsure := made.Record, made.Record, made.Record
	withdrawn.OnSale, withdrawn.Removal = false, store.Removal{Reason: store.RemovalAbsent, Done: true}
	Suspect(&doubtful)
	unsure.Attempted = shopadapter.FieldPrice
	for _, tt := range []struct {
		name string
		d    Decision
		want []string // fields
	}{
		{"price", decide(made.Record, store.CauseSeen,
			func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = "22.00" }), []string{"price", "msrp"}},
		{
			"listed again", decide(withdrawn, store.CauseRead, same),
			[]string{"listing", "title", "description", "images", "category", "shipping"},
		},
		{
			"from a backup", decide(doubtful, store.CauseRead, same),
			[]string{"title", "description", "images", "category", "shipping"},
		},
		{"written again with the same figures", decide(unsure, store.CauseRetry, same), []string{"price"}},
	} {
		var fields []string
		for _, c := range tt.d.Changes() {
			fields = append(fields, c.Field)
		}
		if diff := cmp.Diff(tt.want, fields); diff != "" || tt.d.Creates() {
			t.Errorf("%s: creates %t\n%s", tt.name, tt.d.Creates(), diff)
		}
	}
}
