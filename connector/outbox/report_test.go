package outbox_test

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A supplier's change that falls between the reading of the content and the look before the report
// reaches the shop at once. One that falls into the round trip between that look and the report is
// found when the content is read again.
func TestChangeBehindTheEcho(t *testing.T) {
	moments := map[string]struct {
		when  func(b *harness.Bench, change func(id string))
		after time.Duration
	}{
		"while the content is read": {
			when: func(b *harness.Bench, change func(string)) { b.Market.OnContentRead(change) },
		},
		"while the shop takes it": {when: func(b *harness.Bench, change func(string)) {
			b.Shop.OnPublish = func(id shopadapter.PublicationID) { change(string(id)) }
		}},
		"between the look and the report": {
			when:  func(b *harness.Bench, change func(string)) { b.Market.OnReport(change) },
			after: 25 * time.Hour,
		},
	}
	for name, moment := range moments {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				ids := b.Market.AddSound(30)
				var mu sync.Mutex
				changed := map[string]bool{}
				moment.when(b, func(id string) {
					mu.Lock()
					defer mu.Unlock()
					if !changed[id] {
						changed[id] = true
						if err := b.Market.SetStock(id, "", 4242); err != nil {
							t.Error(err)
						}
					}
				})
				s := b.Once(false)
				if s.Exit != desk.ExitOK || len(changed) != 30 {
					t.Fatalf("got %+v, %d changed, want Exit %v and 30 changed", s, len(changed), desk.ExitOK)
				}
				if moment.after > 0 {
					time.Sleep(moment.after)
					b.Once(false)
				}
				for _, id := range ids {
					p, onSale := b.Shop.Get(id)
					if !onSale || p.Variants[0].Quantity != 4242 {
						t.Errorf(
							"%s: on sale %t with quantity %d, the supplier's 4242 is lost, want on sale true and 4242",
							id,
							onSale,
							p.Variants[0].Quantity,
						)
					}
				}
			})
		})
	}
}

// A report that itself moved updatedAt leads to no further request for content.
func TestNoEcho(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Market.AddSound(40)
		reads := 0
		var mu sync.Mutex
		b.Market.OnContentRead(func(string) { mu.Lock(); reads++; mu.Unlock() })
		b.Once(false)
		b.Once(false)
		b.Once(false)
		if reads != 40 && reads > 45 { // a product of sixty variants is read in pages
			t.Errorf("%d readings of content for 40 publications, want 40, and at most 45", reads)
		}
	})
}

// Where somebody else changes the status, the next enumeration that shows it brings the last
// acknowledged status back.
func TestLostReportIsFoundByEnumeration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(5)
		b.Once(false)
		if err := b.Market.SetStatus(ids[2], "syncing"); err != nil {
			t.Fatal(err)
		}
		before := len(b.Market.Reports())
		b.Once(true)
		if p, _ := b.Market.Publication(ids[2]); p.Status != "success" {
			t.Errorf("status is %q after an enumeration, want success", p.Status)
		}
		if n := len(b.Market.Reports()) - before; n != 1 {
			t.Errorf("%d reports, want 1", n)
		}
	})
}

// A later change is reported only when status or address changes.
func TestLaterChangeIsNotReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(3)
		b.Once(false)
		before := len(b.Market.Reports())
		for i, id := range ids {
			if err := b.Market.SetStock(id, "", 100+i); err != nil {
				t.Fatal(err)
			}
		}
		if s := b.Once(false); s.Updated != 3 || s.Reported != 0 {
			t.Errorf("%+v, want 3 updated and none reported", s)
		}
		if n := len(b.Market.Reports()) - before; n != 0 {
			t.Errorf("%d reports, want none", n)
		}
	})
}

func TestReportsUnderFaults(t *testing.T) {
	faults := map[string]sandbox.Fault{
		"answers lost":         {Kind: sandbox.Cut, Probability: 0.3, Executed: true},
		"cut before execution": {Kind: sandbox.Cut, Probability: 0.3},
		"server errors":        {Kind: sandbox.ServerError, Probability: 0.3},
		"throttled":            {Kind: sandbox.ThrottledNow, Probability: 0.3},
		"internal errors":      {Kind: sandbox.InternalError, Probability: 0.3},
		"html":                 {Kind: sandbox.HTML, Probability: 0.3},
		"half an answer":       {Kind: sandbox.TruncatedJSON, Probability: 0.3, Executed: true},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000, Seed: 7, Faults: []sandbox.Fault{fault}})
				ids := b.Market.AddSound(25)
				for range 10 {
					if s := b.Once(false); s.Exit == desk.ExitOK {
						break
					}
				}
				b.Market.Heal()
				if s := b.Once(true); s.Exit != desk.ExitOK {
					t.Fatalf("after the faults: got %+v, want Exit %v", s, desk.ExitOK)
				}
				for _, id := range ids {
					p, _ := b.Market.Publication(id)
					if p.Status != "success" || p.ProductURL == "" {
						t.Errorf("%s is %q at %q, want success with an address", id, p.Status, p.ProductURL)
					}
				}
				if n := b.Shop.Count("create"); n != 25 {
					t.Errorf("%d creates, want 25", n)
				}
			})
		})
	}
}

func TestFailAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.FailAfter = time.Minute }
		ids := b.Market.AddSound(4)
		bad := shopadapter.PublicationID(ids[1])
		b.Shop.Refuse = func(c harness.Call) error {
			if c.ID == bad {
				return shopadapter.Retry("the shop is tired")
			}
			return nil
		}
		s := b.Once(false) // patience is two minutes: longer than FailAfter
		if s.Exit != desk.ExitStanding || s.Pending != 1 {
			t.Fatalf("got %+v, want Exit %v and Pending 1", s, desk.ExitStanding)
		}
		if p, _ := b.Market.Publication(ids[1]); p.Status != "failed" {
			t.Errorf("status is %q after FailAfter, want failed", p.Status)
		}
		b.Shop.Refuse = nil
		if s := b.Once(false); s.Exit != desk.ExitOK {
			t.Fatalf("got %+v, want Exit %v", s, desk.ExitOK)
		}
		if p, _ := b.Market.Publication(ids[1]); p.Status != "success" {
			t.Errorf("status is %q once the shop takes it, want success", p.Status)
		}
	})
}

func TestRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(3)
		reject := map[shopadapter.PublicationID]bool{shopadapter.PublicationID(ids[0]): true}
		b.Shop.Refuse = func(c harness.Call) error {
			if reject[c.ID] {
				return shopadapter.Reject("the title is forbidden here")
			}
			return nil
		}
		if s := b.Once(false); s.Exit != desk.ExitStanding || s.Rejected != 1 || s.Reported != 3 {
			t.Fatalf("got %+v, want Exit %v, Rejected 1 and Reported 3", s, desk.ExitStanding)
		}
		if p, _ := b.Market.Publication(ids[0]); p.Status != "failed" {
			t.Errorf("a new product that is rejected is %q, want failed", p.Status)
		}
		// Unchanged, it is not tried again.
		n := len(b.Shop.Since(0))
		s := b.Once(false)
		if s.Rejected != 1 {
			t.Errorf("got %+v, want Rejected 1", s)
		}
		if calls := b.Shop.Since(n); len(calls) != 0 {
			t.Errorf("got calls %v, want none", calls)
		}
		delete(reject, shopadapter.PublicationID(ids[0]))
		if err := b.Market.Update(ids[0],
			func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "Mended"} }); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Created != 1 {
			t.Fatalf("got %+v, want Exit %v and Created 1", s, desk.ExitOK)
		}
		if p, _ := b.Market.Publication(ids[0]); p.Status != "success" {
			t.Errorf("after the supplier mended it: %q, want success", p.Status)
		}
		// A rejected update leaves the earlier version on sale and reports nothing.
		reject[shopadapter.PublicationID(ids[1])] = true
		before := len(b.Market.Reports())
		if err := b.Market.Update(ids[1],
			func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "Worse"} }); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(false); s.Rejected != 1 || b.State(ids[1]) != store.StateRejected {
			t.Fatalf("got %+v, want Rejected 1 and state %v", s, store.StateRejected)
		}
		if p, onSale := b.Shop.Get(ids[1]); !onSale || p.Title == "Worse" || len(b.Market.Reports()) != before {
			t.Errorf(
				"on sale %t as %q, %d new reports, want true, another title than Worse, and none",
				onSale,
				p.Title,
				len(b.Market.Reports())-before,
			)
		}
	})
}

func TestChangedNamesTheGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		id := b.Market.Add(sandbox.Publication{Listing: sandbox.Named("sixty-variants").Listing})[0]
		b.Once(false)
		p, _ := b.Market.Publication(id)
		v := p.Listing.Variants[0].ID
		steps := []struct {
			name   string
			change func(l *sandbox.Listing)
			want   shopadapter.Fields
		}{
			{"price", func(l *sandbox.Listing) { l.Variants[0].MSRP += "1" }, shopadapter.FieldPrice},
			{"stock", func(l *sandbox.Listing) { l.Variants[0].Quantity += 3 }, shopadapter.FieldStock},
			{"title", func(l *sandbox.Listing) {
				l.Texts["en"] = sandbox.Text{Title: "T", Description: l.Texts["en"].Description}
			}, shopadapter.FieldTitle},
			{
				"description",
				func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "T", Description: "<p>new</p>"} },
				shopadapter.FieldDescription,
			},
			{"sku", func(l *sandbox.Listing) { l.Variants[1].SKU = "another" }, shopadapter.FieldVariants},
			{"a variant less", func(l *sandbox.Listing) { l.Variants = l.Variants[1:] }, shopadapter.FieldVariants},
			{"images", func(l *sandbox.Listing) { l.Pictures = l.Pictures[:1] }, shopadapter.FieldImages},
			{
				"shipping",
				func(l *sandbox.Listing) { l.Shipping = l.Shipping[:1]; l.Shipping[0].FixedCosts = "99.00" },
				shopadapter.FieldShipping,
			},
		}
		_ = v
		for i, step := range steps {
			n := len(b.Shop.Since(0))
			if err := b.Market.Update(id, step.change); err != nil {
				t.Fatal(err)
			}
			if s := b.Once(false); s.Updated != 1 {
				t.Fatalf("%s: got %+v, want Updated 1", step.name, s)
			}
			if calls := b.Shop.Since(n); len(calls) != 1 || calls[0].Changed != step.want {
				t.Errorf("step %s (%s): %v, want one call with %s", strconv.Itoa(i), step.name, calls, step.want)
			}
		}
	})
}
