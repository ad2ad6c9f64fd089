package model

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// sellable reports whether an entry has something to sell.
func sellable(p sandbox.Publication) bool { return p.Listing != nil && len(p.Listing.Variants) > 0 }

func (m *machine) of(ctx context.Context, id string) store.Record {
	e, _ := m.Store.Get(ctx, id)
	return e.Record
}

// Settle ends all trouble, has the list swept from where the last sweep stopped, and compares.
func (m *machine) Settle(t *rapid.T) { m.settle(t) }

func (m *machine) settle(t *rapid.T) {
	m.Heal(t)
	if m.worker != nil && rapid.Bool().Draw(t, "unaided") {
		time.Sleep(modelSweep)
		m.quiet(t)
		time.Sleep(modelSweep)
	} else {
		m.once(t, false)
		m.once(t, false)
	}
	m.quiet(t)
	m.agree(t, func(h hiding) bool { return !h.late && !h.unmoved }, false)
	m.silence(t)
}

// enumerated has the whole list enumerated, and compares.
func (m *machine) enumerated(t *rapid.T) {
	time.Sleep(time.Second) // an enumeration says nothing of what was listed in the millisecond in which it began
	for range 2 {           // the first may go on where an earlier one was interrupted, which met what has left since
		if m.worker != nil {
			m.worker.AskFor(true)
			time.Sleep(modelSweep)
			m.quiet(t)
			time.Sleep(time.Minute)
		} else {
			m.once(t, true)
			m.once(t, false)
		}
	}
	m.quiet(t)
	m.agree(t, func(h hiding) bool { return !h.unmoved }, true)
}

// refreshed waits until the figures of everything have been read again, and what was blocked was asked
// for again, and compares.
func (m *machine) refreshed(t *rapid.T) {
	m.Retry(t)
	if m.worker == nil {
		m.start(t)
	}
	time.Sleep(modelRefresh + time.Hour)
	m.quiet(t)
	m.agree(t, func(h hiding) bool { return !h.whole }, true)
}

// quiet waits until nothing is due any more and nobody is asked for anything, for so long that
// removals which looks found are judged: that must not take long.
func (m *machine) quiet(t *rapid.T) {
	const seconds = 3
	still, most := 0, 3600
	if m.worker == nil {
		most = 60 // runs, of which each tries again for a minute what failed
	}
	for range most {
		release := m.alone()
		// for so long webhooks put off a look
		backlog, err := m.Store.Backlog(t.Context(), store.At(time.Now().Add(publication.UnsignedGap)))
		check(t, err)
		due, owed := backlog.Due, backlog.Owed
		busy := m.calling
		if m.worker != nil {
			status, err := m.worker.Desk().Status(t.Context())
			check(t, err)
			busy += status.Budget.Waiting
			if status.Marketplace.Paused {
				busy++
			}
		}
		release()
		still++
		if due+owed+busy > 0 {
			still = 0
		}
		if still == seconds || still > 0 && m.worker == nil {
			return
		}
		if m.worker == nil {
			m.once(t, false)
			time.Sleep(10 * time.Second)
		}
		time.Sleep(time.Second)
	}
	for r, err := range store.Records(t.Context(), m.Store, store.Query{}) {
		check(t, err)
		e, err := m.Store.Get(t.Context(), r.ID)
		check(t, err)
		r.Hashes = nil
		t.Logf("%+v\nmark %+v, owed %+v\nhistory %+v", r, e.Mark, e.Owed, m.History(r.ID))
	}
	t.Fatal("an hour after the trouble something is due still")
}

// silence has the list swept once more: nothing is read, written or said twice.
func (m *machine) silence(t *rapid.T) {
	m.mu.Lock()
	reads, calls, reports := maps.Clone(m.reads), len(m.writes()), len(m.Market.Reports())
	m.mu.Unlock()
	waited := map[string]bool{} // such is read again by each run, which may be the first to see that it is gone
	for r, err := range store.Records(t.Context(), m.Store, store.Query{}) {
		check(t, err)
		waited[r.ID] = r.Problem.Kind != ""
	}
	m.once(t, false)
	defer m.alone()()
	for id, n := range m.reads {
		r := m.of(t.Context(), id)
		if r.State == store.StateLive && time.Since(r.ReadAt.Time()) < modelRefresh && n > reads[id] &&
			m.hides[id] == (hiding{}) {
			t.Errorf("%s is read again, and nothing has changed: %v", id, m.History(id))
		}
	}
	if m.hidden() {
		return
	}
	for _, c := range m.writes()[calls:] {
		if _, listed := m.Market.Publication(string(c.ID)); !listed && waited[string(c.ID)] {
			continue
		}
		t.Errorf("%s of %s, and nothing has changed: %v", c.Method, c.ID, m.History(string(c.ID)))
	}
	for _, r := range m.Market.Reports()[reports:] {
		t.Errorf("%s is reported again as %s", r.ID, r.Status)
	}
}

func (m *machine) hidden() bool { return len(m.hides) > 0 || len(m.moody.blocked) > 0 }

// forgot reports whether the shop may hold what nobody remembers: the store was lost, and the
// adapter cannot tell what it made.
func (m *machine) forgot() bool { return m.older && !m.Lists }

// agree compares the shop with the list: of all entries whose changes must be known by now.
func (m *machine) agree(t *rapid.T, known func(hiding) bool, enumerated bool) {
	defer m.alone()()
	if len(m.broken) > 0 {
		t.Fatal(m.broken)
	}
	for _, p := range m.Market.Publications() {
		if known(m.hides[p.ID]) {
			if wrong := m.differs(t.Context(), p); wrong != "" {
				r := m.of(t.Context(), p.ID)
				r.Hashes = nil
				e, _ := m.Store.Get(t.Context(), p.ID)
				t.Errorf("%s: %s\nlisted %+v %+v\nrecord %+v\nmark %+v\nhistory %v", p.ID, wrong, p, p.Listing, r, e.Mark,
					m.History(p.ID))
			}
			delete(m.hides, p.ID)
		}
	}
	skus := map[string]string{}
	for _, id := range m.all {
		shown, onSale := m.shows(id)
		if !onSale {
			continue
		}
		for _, v := range shown.Variants {
			key := v.SKU
			if other, taken := skus[key]; taken && v.SKU != "" && !m.older {
				t.Errorf("%s and %s/%s have the SKU %s", other, id, v.ID, v.SKU)
			}
			skus[key] = id + "/" + v.ID
		}
		_, listed := m.Market.Publication(id)
		if r := m.of(t.Context(), id); enumerated && !listed && !m.forgot() && !heldBy(r, store.HoldRemoval) {
			t.Errorf("%s is gone and on sale: %+v", id, r)
		}
	}
}

func heldBy(r store.Record, kind store.HoldKind) bool {
	return r.State == store.StateHeld && r.Holds[0].Kind == kind
}

// differs says in what the shop, the record or the report differs from what an entry calls for.
func (m *machine) differs(ctx context.Context, p sandbox.Publication) string {
	r := m.of(ctx, p.ID)
	shown, onSale := m.shows(p.ID)
	state := r.State
	status := func() string {
		// what the shop took out since the copy is on sale for the store, until a look writes it
		if m.older && r.Sale == store.OnSale && !onSale {
			return ""
		}
		want, address := store.Status(""), ""
		switch {
		case onSale:
			want, address = store.StatusSuccess, m.url(p.ID)
		case r.Problem.Kind == store.ProblemRejected || r.Problem.Overdue:
			want = store.StatusFailed
		}
		if want != "" && (p.Status != string(want) || address != "" && p.ProductURL != address || r.Reported != want) {
			return fmt.Sprintf(
				"the marketplace holds %q at %q, the record %q, want %q",
				p.Status,
				p.ProductURL,
				r.Reported,
				want,
			)
		}
		return ""
	}
	switch {
	case !sellable(p):
		switch {
		case m.forgot():
			return ""
		case onSale && heldBy(r, store.HoldRemoval):
			return status()
		case !onSale && state == store.StateWithdrawn && p.Status == string(store.StatusFailed) &&
			r.Reported == store.StatusFailed:
			return ""
		case !onSale && state == store.StatePending && p.Status != string(store.StatusSuccess):
			return ""
		}
		return fmt.Sprintf("nothing to sell, on sale: %t, %s, the marketplace holds %q", onSale, state, p.Status)
	case m.moody.blocked[shopID(p.ID)], m.older && heldBy(r, store.HoldForeign),
		m.older && !onSale && r.Problem.Hidden: // a success that is off sale: a hand may have done it
		return ""
	case p.Listing.Texts["en"].Title == "":
		if wrong := m.waits(r); wrong != "" || m.forgot() {
			return wrong
		}
		// an attempt whose answer was lost: without a title there is no other that would tell
		if reported := r.Reported == store.StatusSuccess || r.Reported == store.StatusFailed; onSale &&
			r.Sale != store.OnSale && r.Open() && !reported {
			return ""
		}
		return status()
	case isUnsellable(p.Listing):
		if state != store.StateRejected {
			return "it cannot be sold, and is " + string(r.State)
		}
		if m.forgot() {
			return ""
		}
		return status()
	case !onSale:
		return "not on sale, " + string(r.State)
	}
	if wrong := m.content(p, shown, r); wrong != "" {
		return wrong
	}
	return status()
}

// waits says in what an entry without a title differs from one that waits for it until FailAfter is
// over, and is rejected then.
func (m *machine) waits(r store.Record) string {
	since := r.UntitledSince.Time()
	late := since.Sub(m.since[r.ID])
	if m.hindered { // a look that would take an earlier version out of sale is put off with the shop
		late = min(late, 0)
	}
	if at := m.since[r.ID]; !m.recall && late.Abs() > 5*time.Minute {
		return fmt.Sprintf("it has had no title since %s, and is known to have none since %s", at, since)
	}
	want, waited := store.StatePending, time.Since(since)
	if waited >= modelFail {
		want = store.StateRejected
	}
	if want == store.StatePending && heldBy(r, store.HoldPrice) { // the price of the version on sale
		want = store.StateHeld
	}
	// It is about to change, or the clock has been set back since it was judged.
	near := (waited-modelFail).Abs() < 2*time.Minute || waited < 0 || r.ReadAt.Time().After(time.Now())
	waits := r.State == store.StatePending || r.State == store.StateRejected || heldBy(r, store.HoldPrice)
	if state := r.State; state != want && !(near && waits) {
		return fmt.Sprintf("it has had no title for %s, and is %s", waited, state)
	}
	return ""
}

// content says in what a product differs from its listing. A price that is too far from the one
// shown is held, and then only.
func (m *machine) content(p sandbox.Publication, shown shopadapter.Product, r store.Record) string {
	text := p.Listing.Texts["en"]
	if shown.Title != text.Title || shown.Description != text.Description {
		return fmt.Sprintf("shown as %q %q", shown.Title, shown.Description)
	}
	if len(shown.Variants) != len(p.Listing.Variants) {
		return fmt.Sprintf("shown with %d variants", len(shown.Variants))
	}
	state := store.StateLive
	for i, want := range p.Listing.Variants {
		v := shown.Variants[i]
		if v.ID != want.ID || v.Backorders != (want.Policy == "CONTINUE") ||
			v.Quantity != max(0, want.Quantity-m.buffer) {
			return fmt.Sprintf("variant shown as %+v", v)
		}
		from, to := decimal.RequireFromString(v.Price), decimal.RequireFromString(want.MSRP)
		if from.Equal(to) {
			continue
		}
		// it was held beside a price that was not shown yet
		stands := slices.ContainsFunc(r.Holds, func(h store.Hold) bool {
			return h.Kind == store.HoldPrice && h.Variant == v.ID && h.New == to.StringFixed(2) && h.Old != v.Price
		})
		if to.Sub(from).Abs().LessThanOrEqual(from.Div(decimal.NewFromInt(2))) && !stands {
			return fmt.Sprintf("variant shown at %s", v.Price)
		}
		state = store.StateHeld
	}
	if r.State != state {
		return fmt.Sprintf("%s, want %s", r.State, state)
	}
	return ""
}

func isUnsellable(l *sandbox.Listing) bool { return strings.Contains(l.Texts["en"].Title, unsellable) }

func shopID(id string) shopadapter.PublicationID { return shopadapter.PublicationID(id) }

// fewer runs n checks, the same ones each time, unless somebody asks for a number of them.
func fewer(t *testing.T, n int) {
	t.Helper()
	asked := false
	flag.Visit(func(f *flag.Flag) {
		asked = asked || f.Name == "rapid.checks" || f.Name == "rapid.seed" || f.Name == "rapid.failfile"
	})
	if asked || os.Getenv("RAPID_CHECKS") != "" {
		return
	}
	for name, value := range map[string]string{"rapid.checks": strconv.Itoa(n), "rapid.seed": "1"} {
		f := flag.Lookup(name)
		before := f.Value.String()
		t.Cleanup(func() { _ = f.Value.Set(before) })
		if err := f.Value.Set(value); err != nil {
			t.Fatal(err)
		}
	}
}
