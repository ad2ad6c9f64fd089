package worker_test

import (
	"context"
	"fmt"
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

// backlogOf is the changes that are a backlog in these tests: the bucket pays for fewer.
const backlogOf = 60

// newBacklog is a bench whose shop takes prices and stock alone, with so many publications on sale.
func newBacklog(t *testing.T, o sandbox.Options) (b *harness.Bench, ids []string) {
	t.Helper()
	b = harness.New(t, o)
	b.Tune = func(o *connector.Options) { o.Shop = harness.RestockingShop{Shop: b.Shop} }
	ids = b.Market.AddSound(backlogOf)
	if s := b.Once(false); s.Created != backlogOf {
		t.Fatalf("got %+v, want Created %v", s, backlogOf)
	}
	time.Sleep(time.Minute)
	return b, ids
}

// restock changes the stock of publications.
func restock(b *harness.Bench, ids ...string) {
	b.T.Helper()
	for _, id := range ids {
		b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = 77 })
	}
}

// Of a backlog the prices and the stock are right in the shop before anything else is read, and the
// remainder of each change follows without a further one.
func TestFiguresOfABacklogComeFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		for i, id := range ids {
			b.Update(id, func(l *sandbox.Listing) {
				l.Variants[0].Quantity = 1000 + i
				l.Texts["en"] = sandbox.Text{Title: fmt.Sprint("New title ", i)}
			})
		}
		before := len(b.Shop.Since(0))
		s := b.Once(false)
		if s.Exit != desk.ExitOK || s.Updated != backlogOf || s.Unchanged != 0 {
			t.Errorf(
				"a change that two looks took in counts once: got %+v, want Exit %v, Updated %v and Unchanged 0",
				s,
				desk.ExitOK,
				backlogOf,
			)
		}
		calls, restocks := b.Shop.Since(before), 0
		for _, c := range calls {
			if c.Method != "restock" {
				break
			}
			restocks++
		}
		if restocks != backlogOf || len(calls) != 2*backlogOf {
			t.Errorf(
				"%d calls, of which the first %d are of prices and stock alone; want %d and %d",
				len(calls),
				restocks,
				2*backlogOf,
				backlogOf,
			)
		}
		for i, id := range ids {
			if p, _ := b.Shop.Get(id); p.Variants[0].Quantity != 1000+i || p.Title != fmt.Sprint("New title ", i) {
				t.Errorf(
					"%s has stock %d and title %q, want %v and Title %v",
					id,
					p.Variants[0].Quantity,
					p.Title,
					1000+i,
					fmt.Sprint("New title ", i),
				)
			}
			if r := b.Record(id); r.RemainderSince != 0 || r.FiguresAt != 0 {
				t.Errorf("%s still owes a rest: got %+v, want RemainderSince 0 and FiguresAt 0", id, r)
			}
		}
	})
}

// A change that is no backlog is read in full at once.
func TestNoBacklogIsReadInFull(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		for _, id := range ids[:10] {
			b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = 4711 })
		}
		b.Once(false)
		if n := b.Shop.Count("restock"); n != 0 {
			t.Errorf("%d changes were looked at by their figures, want 0", n)
		}
	})
}

// A worker that is stopped between the look at figures and the full look leaves the full look due:
// the next run makes it without another change.
func TestTheRemainderIsOwedOverAStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		for _, id := range ids {
			b.Update(id, func(l *sandbox.Listing) {
				l.Variants[0].Quantity = 77
				l.Texts["en"] = sandbox.Text{Title: "New title"}
			})
		}
		ctx, stop := context.WithCancel(t.Context())
		b.Shop.Refuse = func(c harness.Call) error {
			if c.Method != "update" {
				return nil
			}
			stop()
			return ctx.Err()
		}
		_, _ = b.Connector().Once(ctx, desk.RunOptions{Patience: time.Minute}) //nolint:errcheck // it was stopped
		owed := 0
		for _, id := range ids {
			p, _ := b.Shop.Get(id)
			if p.Variants[0].Quantity != 77 || p.Title == "New title" {
				t.Fatalf(
					"%s has stock %d and title %q, want stock 77 and the old title",
					id,
					p.Variants[0].Quantity,
					p.Title,
				)
			}
			e := b.Entry(id)
			if e.Record.RemainderSince != 0 && e.Mark != nil && e.Mark.Cause&store.CauseRemainder != 0 {
				owed++
			}
		}
		if owed < backlogOf-8 { // the others were being read
			t.Errorf("%d of %d owe the rest, want at least %v", owed, backlogOf, backlogOf-8)
		}
		b.Shop.Refuse = nil
		b.Once(false)
		for _, id := range ids {
			if p, _ := b.Shop.Get(id); p.Title != "New title" {
				t.Errorf("%s has title %q, want New title", id, p.Title)
			}
		}
	})
}

// A variant that came or went leads to a full reading at once, also in a backlog.
func TestAVariantThatCameOrWentInABacklog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		restock(b, ids...)
		came, gone := ids[3], ids[0]
		b.Update(came, func(l *sandbox.Listing) {
			l.Variants = append(l.Variants, sandbox.Variant{
				Options: []sandbox.Option{
					{Name: "Color", Value: "new"},
				}, Cost: "10.00", MSRP: "24.95", SKU: "NEW", Quantity: 5,
			})
		})
		for _, id := range ids {
			if p, _ := b.Market.Publication(id); len(p.Listing.Variants) > 1 && id != came {
				gone = id
			}
		}
		b.Update(gone, func(l *sandbox.Listing) { l.Variants = l.Variants[:len(l.Variants)-1] })
		before := len(b.Shop.Since(0))
		b.Once(false)
		for _, c := range b.Shop.Since(before) {
			if id := string(c.ID); c.Method == "restock" && (id == came || id == gone) {
				t.Errorf("%s was brought in line by its figures alone, want all of it read", id)
			}
		}
		for _, id := range []string{came, gone} {
			want, _ := b.Market.Publication(id)
			if p, _ := b.Shop.Get(id); len(p.Variants) != len(want.Listing.Variants) {
				t.Errorf(
					"%s has %d variants, the marketplace %d, want %v",
					id,
					len(p.Variants),
					len(want.Listing.Variants),
					len(want.Listing.Variants),
				)
			}
		}
	})
}

// A price that moves too far is held in a look at figures too, the rest of the figures is not.
func TestThePriceBrakeHoldsInALookAtFigures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		old, _ := b.Shop.Get(ids[0])
		for _, id := range ids {
			b.Update(id, func(l *sandbox.Listing) {
				l.Variants[0].Quantity = 77
				if id == ids[0] {
					l.Variants[0].MSRP = "99999.00"
				}
			})
		}
		b.Shop.OnPublish = func(id shopadapter.PublicationID) {
			if p := b.Shop.Products[id].Product; string(id) == ids[0] && p.Variants[0].Price != old.Variants[0].Price {
				t.Errorf("the price was shown: %s, want %s", p.Variants[0].Price, old.Variants[0].Price)
			}
		}
		b.Once(false)
		p, _ := b.Shop.Get(ids[0])
		if e := b.Entry(ids[0]); p.Variants[0].Quantity != 77 || e.Record.State != store.StateHeld ||
			len(e.Record.Holds) != 1 ||
			b.Shop.Count("restock") != backlogOf {
			t.Errorf(
				"%+v, stock %d, %d restocks, want %s with one hold, stock 77 and %d restocks",
				e.Record,
				p.Variants[0].Quantity,
				b.Shop.Count("restock"),
				store.StateHeld,
				backlogOf,
			)
		}
	})
}

// A shop that cannot do with the figures alone gets the whole product at once, and one whose
// merchant hid a product leaves it hidden.
func TestAShopThatNeedsTheWholeInABacklog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		b.Shop.Hides = true
		b.Shop.ByHand(ids[1], "hide")
		b.Shop.ByHand(ids[2], "delete")
		restock(b, ids...)
		b.Shop.Refuse = func(c harness.Call) error {
			if c.Method == "restock" && string(c.ID) == ids[0] {
				return shopadapter.ErrWhole
			}
			return nil
		}
		s := b.Once(false)
		if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Quantity != 77 {
			t.Errorf("stock %d, want 77", p.Variants[0].Quantity)
		}
		if _, onSale := b.Shop.Get(ids[1]); onSale || !b.Record(ids[1]).Problem.Hidden {
			t.Errorf("hidden by hand: on sale %t, %+v, want on sale false and Hidden", onSale, b.Record(ids[1]).Problem)
		}
		if r := b.Record(ids[2]); !r.Problem.Gone || r.State != store.StateBlocked {
			t.Errorf("deleted by hand: %s, %+v, want %s and Gone", r.State, r.Problem, store.StateBlocked)
		}
		if s.Updated != backlogOf-2 {
			t.Errorf("got %+v, want Updated %v", s, backlogOf-2)
		}
	})
}

// A refresh of a settled publication costs one full reading at most, and waits while there is a
// backlog.
func TestRefreshesWaitForABacklog(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		time.Sleep(25 * time.Hour) // every one is to be read again
		restock(b, ids[:backlogOf/2]...)
		b.Market.Forget()
		b.Once(false)
		full, figures, before := 0, 0, 0
		for _, r := range b.Market.Requests() {
			switch r.Operation {
			case "Figures":
				figures += len(r.Content)
				before = full
			case "Content":
				full += len(r.Content)
			}
		}
		// Looks under way before the sweep found the changes read in full, some changed
		// publications among them.
		if before > 8 || figures < backlogOf/2-before || full < backlogOf || full > backlogOf+before {
			t.Errorf(
				"got %d readings of figures, %d in full, of which %d before the last of figures, "+
					"want at least %d, %d to %d, and at most 8",
				figures, full, before, backlogOf/2-before, backlogOf, backlogOf+before,
			)
		}
	})
}

// Under a backlog that lasts the remainder of a change still comes within an hour.
func TestALastingBacklogDoesNotStarveRemainders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{RestoreRate: 5})
		c := b.Connector()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- c.Run(ctx, connector.Listeners{}) }()
		title := func() string { return "At " + time.Now().Format(time.TimeOnly) }
		first := title()
		for i := range 95 {
			for k, id := range ids {
				b.Update(id, func(l *sandbox.Listing) {
					l.Variants[0].Quantity = 1000*k + i
					if i == 0 {
						l.Texts["en"] = sandbox.Text{Title: first}
					}
				})
			}
			c.Sweep(false)
			time.Sleep(time.Minute)
		}
		late := 0
		for _, id := range ids {
			if p, _ := b.Shop.Get(id); p.Title != first {
				late++
			}
		}
		if late > 0 {
			t.Errorf("%d of %d titles are older than an hour and a half, want at most 0", late, len(ids))
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// The remainder of a publication that has left the list meanwhile is owed no more.
func TestTheRestOfWhatIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b, ids := newBacklog(t, sandbox.Options{})
		restock(b, ids...)
		removed := false
		b.Shop.Refuse = func(c harness.Call) error {
			if c.Method == "restock" && string(c.ID) == ids[0] && !removed {
				removed = true
				b.Market.Remove(ids[0])
			}
			return nil
		}
		b.Once(false)
		if !removed {
			t.Error("got no restock to remove it during, want one")
		}
		if r := b.Record(ids[0]); r.RemainderSince != 0 || r.State != store.StateWithdrawn {
			t.Errorf("got %+v, want RemainderSince 0 and State %s", r, store.StateWithdrawn)
		}
		if n := b.Backlog(time.Now()).Due; n > 0 {
			t.Errorf("%d are due still, want at most 0", n)
		}
	})
}
