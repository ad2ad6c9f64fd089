package connector

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/sweep"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func TestRemovals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		listed   int
		removed  int
		withdraw int
		held     int
	}{
		{"three of forty are done", 40, 3, 3, 0},
		{"ten of forty are done", 40, 10, 10, 0},
		{"twenty of forty are held", 40, 20, 0, 20},
		{"eleven of sixty are done", 60, 11, 11, 0},
		{"thirteen of sixty are held", 60, 13, 0, 13},
		{"the only one is held", 1, 1, 0, 1},
		{"all of three are held", 3, 3, 0, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{RestoreRate: 2000})
				ids := b.box.AddSound(tt.listed)
				b.once(false)
				b.box.Remove(ids[:tt.removed]...)
				s := b.once(true)
				if int(s.Withdrawn) != tt.withdraw || s.Held != tt.held || b.shop.count("unpublish") != tt.withdraw {
					t.Fatalf("%+v, %d unpublished", s, b.shop.count("unpublish"))
				}
				wantExit := desk.ExitOK
				if tt.held > 0 {
					wantExit = desk.ExitStanding
				}
				if s.Exit != wantExit {
					t.Errorf("exit %d, want %d", s.Exit, wantExit)
				}
				if tt.held == 0 {
					return
				}
				// Held still by the next enumeration, and done once approved.
				if s := b.once(true); s.Held != tt.held || s.Withdrawn != 0 {
					t.Fatalf("second enumeration: %+v", s)
				}
				if n, err := ApproveAll(b.store, ""); err != nil || n != tt.held {
					t.Fatalf("approved %d, %v", n, err)
				}
				if s := b.once(false); int(s.Withdrawn) != tt.held || s.Held != 0 || s.Exit != desk.ExitOK {
					t.Fatalf("after the approval: %+v", s)
				}
			})
		})
	}
}

// A marketplace that answers with an error in place of null for what is gone is believed as null
// is: after a complete enumeration, asked for by itself, under the brake. An error that says
// anything else withdraws nothing.
func TestRemovalsThatAreErrors(t *testing.T) {
	for name, o := range map[string]sandbox.Options{
		"null in its place":      {Gone: sandbox.GoneError},
		"no data":                {Gone: sandbox.GoneWhole},
		"no data, and no schema": {Gone: sandbox.GoneWhole, NoIntrospection: true},
		"one at a time":          {Gone: sandbox.GoneError, MostAliases: -1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o.RestoreRate = 2000
				b := newBench(t, o)
				ids := b.box.AddSound(40)
				b.once(false)
				b.box.Remove(ids[:3]...)
				b.box.Inject(
					sandbox.Fault{
						Kind:        sandbox.InternalError,
						Probability: 1,
						On:          []sandbox.Kind{sandbox.KindLook, sandbox.KindContent},
					},
				)
				if s := b.once(true); s.Withdrawn != 0 || b.shop.count("unpublish") != 0 {
					t.Fatalf("while no publication can be asked for: %+v", s)
				}
				b.box.Heal()
				if s := b.once(true); s.Withdrawn != 3 || s.Exit != desk.ExitOK || b.shop.count("unpublish") != 3 ||
					b.state(ids[0]) != store.StateWithdrawn {
					t.Fatalf("%+v, %d unpublished, %s", s, b.shop.count("unpublish"), b.state(ids[0]))
				}
				b.box.Remove(ids[3:20]...)
				if s := b.once(true); s.Withdrawn != 0 || s.Held != 17 {
					t.Errorf("seventeen more: %+v", s)
				}
				b.box.Restore(ids...)
				if s := b.once(true); s.Exit != desk.ExitOK || b.state(ids[0]) != store.StateLive ||
					b.status(ids[0]) != "success" {
					t.Errorf("listed again: %+v, %s, reported %s", s, b.state(ids[0]), b.status(ids[0]))
				}
			})
		})
	}
}

// A list that shrinks by drips is the same removal as one that shrinks at once.
func TestRemovalsOfADayCountTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(40)
		b.once(false)
		b.box.Remove(ids[:8]...)
		if s := b.once(true); s.Withdrawn != 8 {
			t.Fatalf("%+v", s)
		}
		b.box.Remove(ids[8:14]...)
		if s := b.once(true); s.Withdrawn != 0 || s.Held != 6 {
			t.Fatalf("fourteen of forty within a day: %+v", s)
		}
		b.box.Restore(ids[8:14]...)
		if s := b.once(true); s.Held != 0 || s.Withdrawn != 0 || s.Exit != desk.ExitOK {
			t.Fatalf("taken back upstream: %+v", s)
		}
		time.Sleep(25 * time.Hour)
		b.box.Remove(ids[8:14]...)
		if s := b.once(true); s.Withdrawn != 6 || s.Held != 0 {
			t.Fatalf("a day later: %+v", s)
		}
	})
}

// An empty list and an authorisation error withdraw nothing.
func TestAbsenceIsNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		b.box.AddSound(15)
		b.once(false)
		b.box.Inject(sandbox.Fault{Kind: sandbox.EmptyList, Probability: 1})
		if s := b.once(true); s.Withdrawn != 0 || b.shop.count("unpublish") != 0 {
			t.Errorf("empty list: %+v", s)
		}
		b.box.Heal()
		b.box.RevokeToken()
		start := time.Now()
		if s := b.once(true); s.Withdrawn != 0 || s.Exit != desk.ExitMarketplace || time.Since(start) > 5*time.Second {
			t.Errorf("refused token: %+v after %s", s, time.Since(start))
		}
		b.box.SetToken(sandbox.DefaultToken)
		if s := b.once(true); s.Exit != desk.ExitOK || s.Withdrawn != 0 || b.shop.count("unpublish") != 0 {
			t.Errorf("after both: %+v", s)
		}
	})
}

func TestOnRemoved(t *testing.T) {
	tests := map[publication.OnRemoved]struct{ method string }{
		publication.RemovedUnpublish: {"unpublish"},
		publication.RemovedDelete:    {"delete"},
		publication.RemovedKeep:      {""},
	}
	for how, want := range tests {
		t.Run(string(how), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{RestoreRate: 2000})
				b.tune = func(o *Options) { o.OnRemoved = how }
				ids := b.box.AddSound(5)
				b.once(false)
				b.box.Remove(ids[0])
				b.once(true)
				if want.method != "" && b.shop.count(want.method) != 1 {
					t.Errorf("%d calls of %s, want 1", b.shop.count(want.method), want.method)
				}
				if _, onSale := b.shop.get(ids[0]); onSale != (how == publication.RemovedKeep) {
					t.Errorf("on sale: %t", onSale)
				}
				if b.state(ids[0]) != store.StateWithdrawn {
					t.Errorf("state %s, want withdrawn", b.state(ids[0]))
				}
				// Listed again it is published and reported anew.
				before := len(b.box.Reports())
				b.box.Restore(ids[0])
				if s := b.once(false); s.Exit != desk.ExitOK {
					t.Fatalf("%+v", s)
				}
				if _, onSale := b.shop.get(ids[0]); !onSale || b.state(ids[0]) != store.StateLive ||
					len(b.box.Reports()) != before+1 {
					t.Errorf(
						"listed again: on sale %t, %s, %d reports more",
						onSale,
						b.state(ids[0]),
						len(b.box.Reports())-before,
					)
				}
			})
		})
	}
}

// No listing, or no variant: pending, and withdrawn under the brake when it was on sale.
func TestNothingToList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(30)
		empty := b.box.Add(sandbox.Publication{})[0]
		bare := b.box.Add(sandbox.Publication{Listing: &sandbox.Listing{Texts: map[string]sandbox.Text{"en": {Title: "Bare"}}}})[0]
		if s := b.once(false); s.Pending != 2 || s.Exit != desk.ExitStanding || s.Seconds > 30 {
			t.Fatalf("%+v", s)
		}
		for _, id := range []string{empty, bare} {
			if b.state(id) != store.StatePending {
				t.Errorf("%s is %s, want pending", id, b.state(id))
			}
			if p, _ := b.box.Publication(id); p.Status != "syncing" {
				t.Errorf("%s was reported %s", id, p.Status)
			}
		}
		saved, _ := b.box.Publication(ids[0])
		if err := b.box.SetListing(ids[0], nil); err != nil {
			t.Fatal(err)
		}
		if err := b.box.Update(ids[1], func(l *sandbox.Listing) { l.Variants = nil }); err != nil {
			t.Fatal(err)
		}
		if s := b.once(false); s.Withdrawn != 2 || s.Exit != desk.ExitStanding {
			t.Fatalf("%+v", s)
		}
		for _, id := range ids[:2] {
			if _, onSale := b.shop.get(id); onSale || b.state(id) != store.StateWithdrawn || b.status(id) != "failed" {
				t.Errorf("%s: on sale %t, %s, reported %s", id, onSale, b.state(id), b.status(id))
			}
		}
		// Told once, and again where the marketplace turns out to hold another status.
		told := len(b.box.Reports())
		b.once(true)
		if n := len(b.box.Reports()) - told; n != 0 {
			t.Errorf("%d reports of what was told", n)
		}
		if err := b.box.SetStatus(ids[1], "success"); err != nil {
			t.Fatal(err)
		}
		if b.once(true); b.status(ids[1]) != "failed" {
			t.Errorf("after an enumeration that showed success: %s", b.status(ids[1]))
		}
		if err := b.box.SetListing(ids[0], saved.Listing); err != nil {
			t.Fatal(err)
		}
		b.once(false)
		if _, onSale := b.shop.get(ids[0]); !onSale || b.state(ids[0]) != store.StateLive ||
			b.status(ids[0]) != "success" {
			t.Errorf("its listing is back: on sale %t, %s, reported %s", onSale, b.state(ids[0]), b.status(ids[0]))
		}
		// A mass loss of listings is a mass removal.
		for _, id := range ids[2:20] {
			if err := b.box.SetListing(id, nil); err != nil {
				t.Fatal(err)
			}
		}
		if s := b.once(false); s.Withdrawn != 0 || s.Held != 18 || b.status(ids[2]) != "success" {
			t.Errorf("eighteen listings lost: %+v, reported %s", s, b.status(ids[2]))
		}
		if n, err := ApproveAll(b.store, ""); err != nil || n != 18 {
			t.Fatalf("approved %d, %v", n, err)
		}
		if s := b.once(false); s.Withdrawn != 18 || b.status(ids[2]) != "failed" {
			t.Errorf("approved: %+v, reported %s", s, b.status(ids[2]))
		}
	})
}

// A listing that is gone while its entry stays is taken out of sale and reported whatever
// PUBSYNC_ON_REMOVED says of entries that are gone: nobody could order it. No lost answer loses the
// report.
func TestALostListingIsReported(t *testing.T) {
	for _, how := range []publication.OnRemoved{publication.RemovedUnpublish, publication.RemovedDelete, publication.RemovedKeep} {
		t.Run(string(how), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{RestoreRate: 2000})
				b.tune = func(o *Options) { o.OnRemoved = how }
				ids := b.box.AddSound(5)
				b.once(false)
				lost, _ := b.box.Publication(ids[0])
				if err := b.box.SetListing(ids[0], nil); err != nil {
					t.Fatal(err)
				}
				b.shop.refuse = func(call) error { return errors.New("the answer is lost") }
				b.once(false)
				b.shop.refuse = nil
				b.box.Inject(sandbox.Fault{Kind: sandbox.Cut, Probability: 1, On: []sandbox.Kind{sandbox.KindReport}})
				b.once(false)
				if _, onSale := b.shop.get(ids[0]); onSale || b.status(ids[0]) != "success" ||
					b.shop.count("delete") != 0 {
					t.Fatalf("on sale %t, reported %s, %d deleted", onSale, b.status(ids[0]), b.shop.count("delete"))
				}
				b.box.Heal()
				if b.once(false); b.state(ids[0]) != store.StateWithdrawn || b.status(ids[0]) != "failed" {
					t.Fatalf("%s, reported %s", b.state(ids[0]), b.status(ids[0]))
				}
				if err := b.box.SetListing(ids[0], lost.Listing); err != nil {
					t.Fatal(err)
				}
				b.box.Inject(
					sandbox.Fault{Kind: sandbox.RefusedReport, Probability: 1, On: []sandbox.Kind{sandbox.KindReport}},
				)
				b.once(false)
				b.box.Heal()
				if s := b.once(false); s.Exit != desk.ExitOK || b.state(ids[0]) != store.StateLive ||
					b.status(ids[0]) != "success" {
					t.Errorf("its listing is back: %+v, %s, reported %s", s, b.state(ids[0]), b.status(ids[0]))
				}
			})
		})
	}
}

// An entry that was never on sale waits for its listing, whatever was attempted; one that is back
// on the list without a listing does too.
func TestWhatWasNeverOnSaleWaitsForItsListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(5)
		back := ids[1]
		b.once(false)
		b.box.Remove(back)
		b.once(true)
		fresh := b.box.AddSound(1)[0]
		b.shop.refuse = func(call) error { return errors.New("no answer") }
		b.once(false)
		b.shop.refuse = nil
		b.box.Restore(back)
		for _, id := range []string{fresh, back} {
			if err := b.box.SetListing(id, nil); err != nil {
				t.Fatal(err)
			}
			if err := b.box.SetStatus(id, "syncing"); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			s := b.once(false)
			for _, id := range []string{fresh, back} {
				if s.Pending != 2 || b.state(id) != store.StatePending || b.status(id) != "syncing" {
					t.Errorf("%s is %s, reported %s: %+v", id, b.state(id), b.status(id), s)
				}
			}
		}
		if n := b.shop.count("unpublish"); n != 3 { // one by its removal, and each once since
			t.Errorf("%d withdrawals, want 3", n)
		}
	})
}

func TestDeletedByHand(t *testing.T) {
	tests := map[publication.OnDeleted]struct {
		state  store.State
		status string
	}{publication.DeletedKeep: {store.StateBlocked, "failed"}, publication.DeletedRecreate: {store.StateLive, "success"}}
	for how, want := range tests {
		t.Run(string(how), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{RestoreRate: 2000})
				b.tune = func(o *Options) { o.OnDeleted = how }
				ids := b.box.AddSound(3)
				b.once(false)
				b.shop.Lock()
				delete(b.shop.products, shopadapter.PublicationID(ids[0]))
				b.shop.Unlock()
				if err := b.box.SetStock(ids[0], "", 77); err != nil {
					t.Fatal(err)
				}
				b.once(false)
				if p, _ := b.box.Publication(ids[0]); b.state(ids[0]) != want.state || p.Status != want.status {
					t.Fatalf("%s, reported %s", b.state(ids[0]), p.Status)
				}
				if how == publication.DeletedRecreate {
					return
				}
				// It stays deleted over runs and restarts, and retry brings it back.
				b.once(true)
				if _, onSale := b.shop.get(ids[0]); onSale {
					t.Fatal("a full run brought it back")
				}
				if err := Retry(b.store, ids[0], false); err != nil {
					t.Fatal(err)
				}
				b.once(false)
				p, _ := b.box.Publication(ids[0])
				if _, onSale := b.shop.get(ids[0]); !onSale || b.state(ids[0]) != store.StateLive ||
					p.Status != "success" {
					t.Errorf("after retry: on sale %t, %s, reported %s", onSale, b.state(ids[0]), p.Status)
				}
			})
		})
	}
}

// On an empty store, what another tool made is held, and what the shop holds as ours is taken over.
func TestFirstRunOverSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		b.lists = true
		ids := b.box.AddSound(6)
		b.once(false)
		b.lose()
		foreign := b.box.AddSound(2)
		for _, id := range foreign {
			if err := b.box.SetStatus(id, "success"); err != nil {
				t.Fatal(err)
			}
		}
		before := len(b.box.Reports())
		s := b.once(false)
		if s.Held != 2 || s.Exit != desk.ExitStanding || b.shop.count("create") != 6 {
			t.Fatalf("%+v, %d creates", s, b.shop.count("create"))
		}
		if n := len(b.box.Reports()) - before; n != 0 {
			t.Errorf("%d reports over what the marketplace knows", n)
		}
		for _, id := range ids {
			if b.state(id) != store.StateLive {
				t.Errorf("%s is %s", id, b.state(id))
			}
		}
		if err := Approve(b.store, foreign[0]); err != nil {
			t.Fatal(err)
		}
		s = b.once(false)
		if _, onSale := b.shop.get(foreign[0]); !onSale || s.Held != 1 || s.Created != 1 {
			t.Errorf("after the approval: on sale %t, %+v", onSale, s)
		}
	})
}

// Interrupted, a full run goes on where it stopped: the pages it has are not listed again, and
// everything's content is read all the same.
func TestEnumerationGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		ids := b.box.AddSound(350)
		b.once(false)
		b.box.Remove(ids[:5]...)
		lists := 0
		fail := func(r *http.Request) error {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if bytes.Contains(body, []byte("publications(")) {
				if lists++; lists == 3 {
					return errors.New("the line is cut")
				}
			}
			return nil
		}
		b.tune = func(o *Options) {
			o.Marketplace = marketplace.New(marketplace.Config{
				URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en", "nl"}, Transport: gated{b.box.Transport(), fail},
			})
		}
		time.Sleep(time.Second)
		c := b.connector()
		if s, _ := c.Once(t.Context(), desk.RunOptions{Full: true, Patience: 0}); s.Exit != desk.ExitMarketplace {
			t.Fatalf("cut after two pages: %+v", s)
		}
		if cursor, ok, _ := b.store.CursorOf(b.t.Context(), sweep.CursorFull); !ok || cursor.Listed == 0 {
			t.Fatalf("no place is kept: %+v", cursor)
		}
		lists = 10
		s := b.once(true)
		if s.Exit != desk.ExitOK || s.Withdrawn != 5 {
			t.Fatalf("%+v", s)
		}
		if again := lists - 10; again > 3 {
			t.Errorf("%d pages listed for what was left", again)
		}
		for _, id := range ids[5:] {
			if age := time.Since(b.record(id).ReadAt.Time()); age > 30*time.Minute {
				t.Fatalf("%s was read %s ago", id, age)
			}
		}
	})
}

// gated asks before each request whether it may pass.
type gated struct {
	next http.RoundTripper
	pass func(*http.Request) error
}

func (g gated) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := g.pass(r); err != nil {
		return nil, err
	}
	return g.next.RoundTrip(r)
}

// A giver is a shop that gives products back to the merchant in place of deleting them.
type giver struct{ *shelf }

func (g giver) Withdraw(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	if how != shopadapter.Delete {
		return "", g.shelf.Unpublish(ctx, ref, how)
	}
	return "product #7 was your own and is a draft now", g.shelf.Unpublish(ctx, ref, shopadapter.TakeOffline)
}

// explain shows in the history that a shop gave a product back in place of deleting it.
func TestWhatWasGivenBackIsTold(t *testing.T) {
	for _, tt := range []struct {
		how  publication.OnRemoved
		want bool
	}{{publication.RemovedDelete, true}, {publication.RemovedUnpublish, false}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{RestoreRate: 2000})
			b.tune = func(o *Options) { o.OnRemoved, o.Shop = tt.how, giver{b.shop} }
			ids := b.box.AddSound(5)
			b.once(false)
			b.box.Remove(ids[0])
			b.once(true)
			e := b.entry(ids[0])
			rec, ok := e.Record, e.Known
			if !ok || b.state(ids[0]) != store.StateWithdrawn {
				t.Fatalf("state %s, %t", b.state(ids[0]), ok)
			}
			told := slices.ContainsFunc(
				rec.History,
				func(e store.Event) bool { return strings.Contains(e.What, "product #7 was your own") },
			)
			if told != tt.want {
				t.Errorf("%s: told %t, history %v", tt.how, told, rec.History)
			}
		})
	}
}
