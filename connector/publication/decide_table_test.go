package publication

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

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
			steps = append(steps, "update "+fieldsText(d.Changed))
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
	s.OnRemoved, s.Lists = RemovedUnpublish, func() bool { return true }
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

// A look leads from a record, by what was read and whether a person asked, to what is asked of the
// shop and what is settled.
func TestDecide(t *testing.T) {
	by, as := tableDecider(t, nil), func(*marketplace.Publication) {}
	_, made := drive(
		by.Decide(
			store.Record{ID: "p1"}, store.Mark{ID: "p1"},
			Seen{Publication: bench(as), At: tableNow},
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
	removal := func(change func(*store.Record), reason store.RemovalReason) func(*store.Record) {
		return func(r *store.Record) {
			r.Removal = store.Removal{Reason: reason, At: 1}
			change(r)
		}
	}
	records := map[string]store.Record{
		"new": fresh,
		"attempted, with no answer": with(fresh, func(r *store.Record) {
			r.Attempted, r.Open, r.Problem = shopadapter.AllFields, true, problem(store.ProblemTransient)
		}),
		"rejected": with(fresh, func(r *store.Record) {
			r.Problem = problem(store.ProblemRejected)
			r.Problem.Content = fingerprintOf(by.mapper.desire(bench(as), fresh, tableNow).product).content()
		}),
		"live": live,
		"live, an update with no answer": with(live, func(r *store.Record) {
			r.Attempted, r.Open, r.Problem = shopadapter.FieldPrice, true, problem(store.ProblemTransient)
		}),
		"live, from a backup":    with(live, Suspect),
		"partial":                with(live, func(r *store.Record) { r.Variants[0].Refused = "no" }),
		"edited by the merchant": with(live, func(r *store.Record) { r.Kept = shopadapter.FieldTitle }),
		"deleted by hand": with(live, func(r *store.Record) {
			r.OnSale, r.Attempted, r.Open, r.Problem = false, shopadapter.AllFields, true, problem(store.ProblemBlocked)
			r.Problem.Gone = true
		}),
		"hidden by hand":   with(live, func(r *store.Record) { hide(r, tableNow) }),
		"to leave":         with(live, removal(func(*store.Record) {}, store.RemovalAbsent)),
		"to leave, judged": with(live, removal(func(r *store.Record) { r.Removal.Go = true }, store.RemovalAbsent)),
		"leaving, with no answer": with(live, removal(func(r *store.Record) {
			r.Removal.Go, r.Removal.Begun, r.Attempted, r.Open = true, true, shopadapter.AllFields, true
		}, store.RemovalAbsent)),
		"withdrawn": with(live, removal(func(r *store.Record) {
			r.OnSale, r.Removal.Done = false, true
		}, store.RemovalAbsent)),
		"withdrawn for want of a listing": with(live, removal(func(r *store.Record) {
			r.OnSale, r.Removal.Done, r.Reported, r.ReportedURL = false, true, store.StatusFailed, ""
		}, store.RemovalNoListing)),
	}
	msrp := func(price string) *marketplace.Publication {
		return bench(func(p *marketplace.Publication) { p.Listing.Variants[0].MSRP = price })
	}
	readings := map[string]*marketplace.Publication{
		"gone":       nil,
		"no listing": bench(func(p *marketplace.Publication) { p.Listing = nil }),
		"no listing, a success": bench(func(p *marketplace.Publication) {
			p.Listing, p.Status = nil, string(store.StatusSuccess)
		}),
		"no variant":        bench(func(p *marketplace.Publication) { p.Listing.Variants = nil }),
		"no title":          bench(func(p *marketplace.Publication) { p.Listing.Translations = nil }),
		"no price":          msrp(""),
		"too long":          bench(func(p *marketplace.Publication) { p.Listing.ID = strings.Repeat("x", MaxIdent+1) }),
		"as it was":         bench(as),
		"another price":     msrp("22.00"),
		"a price too far":   msrp("99.00"),
		"success elsewhere": bench(func(p *marketplace.Publication) { p.Status = string(store.StatusSuccess) }),
	}
	for _, tt := range []struct{ record, reading, want string }{
		{"new", "gone", "nothing: forgotten"},
		{"new", "no listing", "nothing: pending; problem=waiting×1 since 0s; next=sweep in 1m0s"},
		{"new", "no title", "nothing: pending; problem=waiting×1 since 0s; untitled since 0s; next=sweep in 5m0s"},
		{"new", "no price", "nothing: rejected; problem=rejected×1 since 0s; next=refresh in 48h0m0s; owes=failed"},
		{"new", "as it was", "create: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{"new", "success elsewhere", "nothing: held; holds=1; next=refresh in 48h0m0s"},
		{"attempted, with no answer", "gone", "unpublish: withdrawn; out: absent; no next look"},
		{
			"attempted, with no answer", "no listing, a success",
			"unpublish: withdrawn; out: no-listing; next=refresh in 48h0m0s; owes=failed",
		},
		{
			"attempted, with no answer", "no price",
			"unpublish: rejected; problem=rejected×1 since 0s; unsettled=all; next=refresh in 48h0m0s; owes=failed",
		},
		{
			"attempted, with no answer", "as it was",
			"create: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
		{
			"rejected", "as it was",
			"nothing: rejected; problem=rejected×1 since 1s; next=refresh in 48h0m0s; owes=failed",
		},
		{"rejected", "as it was, asked", "create: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{"rejected", "another price", "create: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{"live", "gone", "nothing: pending; on sale; to go: absent; next=refresh in 48h0m0s"},
		{
			"live", "no listing",
			"nothing: pending; on sale; to go: no-listing; next=refresh in 48h0m0s; owes=success address",
		},
		{
			"live", "no variant",
			"nothing: pending; on sale; to go: no-variants; next=refresh in 48h0m0s; owes=success address",
		},
		{
			"live", "no title",
			"nothing: pending; on sale; problem=waiting×1 since 0s; untitled since 0s; next=sweep in 5m0s; owes=success address",
		},
		{
			"live", "no price",
			"nothing: rejected; on sale; problem=rejected×1 since 0s; next=refresh in 48h0m0s; owes=success address",
		},
		{"live", "too long", "nothing: rejected; on sale; problem=rejected×1 since 0s; next=refresh in 48h0m0s"},
		{"live", "as it was", "nothing: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{"live", "as it was, asked", "nothing: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{"live", "another price", "update price: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{"live", "a price too far", "nothing: held; on sale; holds=1; next=refresh in 48h0m0s; owes=success address"},
		{
			"live, an update with no answer", "as it was",
			"update price: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
		{
			"live, an update with no answer", "a price too far",
			"update price: held; on sale; holds=1; next=refresh in 48h0m0s; owes=success address",
		},
		{
			"live, from a backup", "as it was",
			"update all: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
		{"partial", "as it was", "nothing: partial; on sale; next=refresh in 48h0m0s; owes=success address"},
		{
			"partial", "as it was, asked",
			"update variants,price,stock: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
		{"partial", "another price", "update price: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{
			"edited by the merchant", "as it was",
			"nothing: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
		{
			"edited by the merchant", "as it was, asked",
			"nothing: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
		{"deleted by hand", "gone", "unpublish: withdrawn; out: absent; no next look"},
		{"deleted by hand", "as it was", "update all: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{
			"hidden by hand", "as it was",
			"nothing: blocked; problem=blocked×1 since 0s; hidden; next=refresh in 48h0m0s; owes=failed",
		},
		{
			"hidden by hand", "as it was, asked",
			"update all: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
		{
			"hidden by hand", "no listing",
			"unpublish: withdrawn; out: no-listing; next=refresh in 48h0m0s; owes=failed",
		},
		{"to leave", "gone", "nothing: pending; on sale; to go: absent; next=refresh in 48h0m0s"},
		{"to leave", "as it was", "nothing: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{"to leave, judged", "gone", "unpublish: withdrawn; out: absent; counts as a removal; no next look"},
		{
			"to leave, judged", "no listing, a success",
			"unpublish: withdrawn; out: no-listing; counts as a removal; next=refresh in 48h0m0s; owes=failed",
		},
		{"leaving, with no answer", "gone", "unpublish: withdrawn; out: absent; counts as a removal; no next look"},
		{
			"leaving, with no answer", "as it was",
			"update all: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
		{"withdrawn", "gone", "nothing: withdrawn; out: absent; no next look"},
		{"withdrawn", "as it was", "update all: live; on sale; next=refresh in 48h0m0s; owes=success address"},
		{
			"withdrawn for want of a listing", "no listing, a success",
			"nothing: withdrawn; out: no-listing; next=refresh in 48h0m0s; owes=failed",
		},
		{
			"withdrawn for want of a listing", "as it was",
			"update all: live; on sale; next=refresh in 48h0m0s; owes=success address",
		},
	} {
		t.Run(tt.record+"/"+tt.reading, func(t *testing.T) {
			mark := store.Mark{ID: "p1", Cause: store.CauseSeen}
			name, asked := strings.CutSuffix(tt.reading, ", asked")
			if asked {
				mark.Cause = store.CauseAsked
			}
			r, pub := records[tt.record], readings[name]
			before := r
			before.Variants, before.Holds = slices.Clone(r.Variants), slices.Clone(r.Holds)
			steps, s := drive(by.Decide(r, mark, Seen{Publication: pub, At: tableNow}), takes)
			if diff := gocmp.Diff(before, r); diff != "" {
				t.Errorf("the given record changed:\n%s", diff)
			}
			got := cmp.Or(strings.Join(steps, ", "), "nothing") + ": "
			if s.Forget {
				got += "forgotten"
			} else {
				got += settlementLine(s)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
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
		{"hidden by hand", made.Record, nil, answers(shopadapter.ErrHidden), []string{"update stock"}, store.StateBlocked},
		{
			"refused, an earlier version sells what is not there", made.Record, nil, answers(shopadapter.Reject("no")),
			[]string{"update stock", "unpublish"},
			store.StateRejected,
		},
		{
			"refused, and an earlier attempt may be on sale", open, nil, answers(shopadapter.Reject("no")),
			[]string{"update all", "unpublish"},
			store.StateRejected,
		},
		{
			"refused, and what may be on sale cannot be taken out", open, nil,
			answers(shopadapter.Reject("no"), shopadapter.Retry("no answer")),
			[]string{"update all", "unpublish"},
			store.StatePending,
		},
		{"every variant refused", made.Record, nil, refuses, []string{"update stock"}, store.StateRejected},
	} {
		t.Run(tt.name, func(t *testing.T) {
			by := tableDecider(t, tt.tune)
			steps, s := drive(by.Decide(tt.r, store.Mark{ID: "p1", Cause: store.CauseSeen}, changed), tt.shop)
			if diff := gocmp.Diff(tt.steps, steps); diff != "" || s.Record.State != tt.state {
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
		if diff := gocmp.Diff(tt.want, fields); diff != "" || tt.d.Creates() {
			t.Errorf("%s: creates %t\n%s", tt.name, tt.d.Creates(), diff)
		}
	}
}
