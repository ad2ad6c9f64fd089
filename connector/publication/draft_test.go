package publication

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// drafting is a decider of new products that are to be drafts.
func drafting(t *testing.T) *Decider {
	return skipping(t, func(r *Rules) { r.PublishAs = PublishDraft })
}

// leavesOff is a shop that leaves a draft off sale.
func leavesOff(d Decision) Outcome {
	o := takes(d)
	o.Listing.Draft = d.Product.Draft
	return o
}

// A new product is a draft until the merchant puts it on sale: then it is reported, and follows the
// supplier like any other.
func TestDraftsWaitForTheMerchant(t *testing.T) {
	by, mark := drafting(t), store.Mark{ID: "p1", Cause: store.CauseSeen}
	see := func(stock int) Seen { return Seen{Publication: placed(stock, "2"), At: tableNow} }
	d := by.Decide(store.Record{ID: "p1"}, mark, see(5))
	if d.Step != Publish || !d.Product.Draft {
		t.Fatalf("new: got %v, draft %t, want it published as a draft", d.Step, d.Product.Draft)
	}
	_, s := drive(d, leavesOff)
	r := s.Record
	if r.State != store.StatePending || r.OnSale || !r.Draft {
		t.Fatalf("made: got %s, on sale %t, draft %t, want a draft that is pending", r.State, r.OnSale, r.Draft)
	}
	if got := ReasonOf(r); got != isDraft {
		t.Errorf("why it is pending: got %q, want %q", got, isDraft)
	}
	if status, _ := wanted(r); status != "" {
		t.Errorf("reported: got %q, want nothing", status)
	}

	skus := Facts{SKUs: map[string]string{"v1": "B-1"}}
	if d = by.Decide(r, mark, see(5)).Compared(skus); d.Step != Settle {
		t.Errorf("nothing changed: got %v, want nothing written", d.Step)
	}
	if d = by.Decide(r, mark, see(0)).Compared(skus); d.Step != Publish || !d.Product.Draft || d.Ref().OnSale {
		t.Errorf("the supplier changed it: got %v, draft %t, want the draft written", d.Step, d.Product.Draft)
	}
	if d = tableDecider(t, nil).Decide(r, mark, see(5)).Compared(skus); d.Step != Publish || d.Product.Draft {
		t.Errorf("live again: got %v, draft %t, want it put on sale", d.Step, d.Product.Draft)
	}

	shown := shopadapter.Listing{OnSale: true}
	if got := DriftOf(r, shown, true, r.WrittenAt); got != DriftNone {
		t.Errorf("a list of before it was made: got %v, want none", got)
	}
	if got := DriftOf(r, shopadapter.Listing{}, true, r.WrittenAt+1); got != DriftNone {
		t.Errorf("a draft still: got %v, want none", got)
	}
	if got := DriftOf(r, shown, true, r.WrittenAt+1); got != DriftShown {
		t.Fatalf("put on sale: got %v, want shown", got)
	}
	s = store.Settlement{Record: r}
	DriftShown.Apply(&s, nil, tableAddress, tableNow)
	if s.Record.State != store.StateLive || s.Record.Draft {
		t.Errorf("put on sale: got %s, draft %t, want it live", s.Record.State, s.Record.Draft)
	}
	if s.Report == nil || s.Report.Status != store.StatusSuccess {
		t.Errorf("put on sale: owes %+v, want success", s.Report)
	}
	if d = by.Decide(s.Record, mark, see(4)).Compared(skus); d.Step != Publish || d.Product.Draft {
		t.Errorf("on sale: got %v, draft %t, want it written and on sale", d.Step, d.Product.Draft)
	}
}

// A draft that the shop turns out to have on sale is live, and rules that keep out take no draft away.
func TestDraftsThatAreOnSale(t *testing.T) {
	by := drafting(t)
	_, s := drive(by.Decide(store.Record{ID: "p1"}, store.Mark{ID: "p1"},
		Seen{Publication: placed(5, "2"), At: tableNow}), leavesOff)
	by = skipping(t, func(r *Rules) { r.PublishAs, r.Skip.StockBelow = PublishDraft, 9 })
	if _, r := look(by, s.Record, placed(4, "2")); r.State != store.StateLive || r.Draft {
		t.Errorf("got %s, draft %t, want it live", r.State, r.Draft)
	}
	_, s = drive(by.Decide(s.Record, store.Mark{ID: "p1"}, Seen{At: tableNow}), leavesOff)
	if !s.Record.Removal.Done || s.Record.Draft || s.Removed {
		t.Errorf("its entry is gone: got %+v, draft %t, counted %t, want it withdrawn without the brake",
			s.Record.Removal, s.Record.Draft, s.Removed)
	}
}
