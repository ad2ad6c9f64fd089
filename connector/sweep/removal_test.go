package sweep_test

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

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
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
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				ids := b.Market.AddSound(tt.listed)
				b.Once(false)
				b.Market.Remove(ids[:tt.removed]...)
				s := b.Once(true)
				if int(s.Withdrawn) != tt.withdraw || s.Held != tt.held || b.Shop.Count("unpublish") != tt.withdraw {
					t.Fatalf(
						"got %+v, %d unpublished, want Withdrawn %v, Held %v and calls of unpublish %v",
						s,
						b.Shop.Count("unpublish"),
						tt.withdraw,
						tt.held,
						tt.withdraw,
					)
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
				if s := b.Once(true); s.Held != tt.held || s.Withdrawn != 0 {
					t.Fatalf("second enumeration: got %+v, want Held %v and Withdrawn 0", s, tt.held)
				}
				if n, err := harness.ApproveAll(b.Store, ""); err != nil || n != tt.held {
					t.Fatalf("approved %d, %v, want no error and %v", n, err, tt.held)
				}
				if s := b.Once(false); int(s.Withdrawn) != tt.held || s.Held != 0 || s.Exit != desk.ExitOK {
					t.Fatalf(
						"after the approval: got %+v, want Withdrawn %v, Held 0 and Exit %v",
						s,
						tt.held,
						desk.ExitOK,
					)
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
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o.RestoreRate = 2000
				b := harness.New(t, o)
				ids := b.Market.AddSound(40)
				b.Once(false)
				b.Market.Remove(ids[:3]...)
				b.Market.Inject(
					sandbox.Fault{
						Kind:        sandbox.InternalError,
						Probability: 1,
						On:          []sandbox.Kind{sandbox.KindLook, sandbox.KindContent},
					},
				)
				if s := b.Once(true); s.Withdrawn != 0 || b.Shop.Count("unpublish") != 0 {
					t.Fatalf(
						"while no publication can be asked for: got %+v, want Withdrawn 0 and calls of unpublish 0",
						s,
					)
				}
				b.Market.Heal()
				if s := b.Once(true); s.Withdrawn != 3 || s.Exit != desk.ExitOK || b.Shop.Count("unpublish") != 3 ||
					b.State(ids[0]) != store.StateWithdrawn {
					t.Fatalf(
						"got %+v, %d unpublished, %s, want Withdrawn 3, Exit %v, calls of unpublish 3 and state %v",
						s,
						b.Shop.Count("unpublish"),
						b.State(ids[0]),
						desk.ExitOK,
						store.StateWithdrawn,
					)
				}
				b.Market.Remove(ids[3:20]...)
				if s := b.Once(true); s.Withdrawn != 0 || s.Held != 17 {
					t.Errorf("seventeen more: got %+v, want Withdrawn 0 and Held 17", s)
				}
				b.Market.Restore(ids...)
				if s := b.Once(true); s.Exit != desk.ExitOK || b.State(ids[0]) != store.StateLive ||
					b.Status(ids[0]) != "success" {
					t.Errorf(
						"listed again: got %+v, %s, reported %s, want Exit %v, state %v and status success",
						s,
						b.State(ids[0]),
						b.Status(ids[0]),
						desk.ExitOK,
						store.StateLive,
					)
				}
			})
		})
	}
}

// A list that shrinks by drips is the same removal as one that shrinks at once.
func TestRemovalsOfADayCountTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(40)
		b.Once(false)
		b.Market.Remove(ids[:8]...)
		if s := b.Once(true); s.Withdrawn != 8 {
			t.Fatalf("got %+v, want Withdrawn 8", s)
		}
		b.Market.Remove(ids[8:14]...)
		if s := b.Once(true); s.Withdrawn != 0 || s.Held != 6 {
			t.Fatalf("fourteen of forty within a day: got %+v, want Withdrawn 0 and Held 6", s)
		}
		b.Market.Restore(ids[8:14]...)
		if s := b.Once(true); s.Held != 0 || s.Withdrawn != 0 || s.Exit != desk.ExitOK {
			t.Fatalf("taken back upstream: got %+v, want Held 0, Withdrawn 0 and Exit %v", s, desk.ExitOK)
		}
		time.Sleep(25 * time.Hour)
		b.Market.Remove(ids[8:14]...)
		if s := b.Once(true); s.Withdrawn != 6 || s.Held != 0 {
			t.Fatalf("a day later: got %+v, want Withdrawn 6 and Held 0", s)
		}
	})
}

// An empty list and an authorisation error withdraw nothing.
func TestAbsenceIsNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Market.AddSound(15)
		b.Once(false)
		b.Market.Inject(sandbox.Fault{Kind: sandbox.EmptyList, Probability: 1})
		if s := b.Once(true); s.Withdrawn != 0 || b.Shop.Count("unpublish") != 0 {
			t.Errorf("empty list: got %+v, want Withdrawn 0 and calls of unpublish 0", s)
		}
		b.Market.Heal()
		b.Market.RevokeToken()
		start := time.Now()
		s := b.Once(true)
		if s.Withdrawn != 0 {
			t.Errorf("refused token: %d withdrawn, want 0", s.Withdrawn)
		}
		if s.Exit != desk.ExitMarketplace {
			t.Errorf("refused token: exit %d, want %d", s.Exit, desk.ExitMarketplace)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("refused token: the run took %s, want at most 5s", took)
		}
		b.Market.SetToken(sandbox.DefaultToken)
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Withdrawn != 0 || b.Shop.Count("unpublish") != 0 {
			t.Errorf("after both: got %+v, want Exit %v, Withdrawn 0 and calls of unpublish 0", s, desk.ExitOK)
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
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				b.Tune = func(o *connector.Options) { o.OnRemoved = how }
				ids := b.Market.AddSound(5)
				b.Once(false)
				b.Market.Remove(ids[0])
				b.Once(true)
				if want.method != "" && b.Shop.Count(want.method) != 1 {
					t.Errorf("%d calls of %s, want 1", b.Shop.Count(want.method), want.method)
				}
				if _, onSale := b.Shop.Get(ids[0]); onSale != (how == publication.RemovedKeep) {
					t.Errorf("on sale: %t, want %v", onSale, (how == publication.RemovedKeep))
				}
				if b.State(ids[0]) != store.StateWithdrawn {
					t.Errorf("state %s, want withdrawn", b.State(ids[0]))
				}
				// Listed again it is published and reported anew.
				before := len(b.Market.Reports())
				b.Market.Restore(ids[0])
				if s := b.Once(false); s.Exit != desk.ExitOK {
					t.Fatalf("got %+v, want Exit %v", s, desk.ExitOK)
				}
				if _, onSale := b.Shop.Get(ids[0]); !onSale || b.State(ids[0]) != store.StateLive ||
					len(b.Market.Reports()) != before+1 {
					t.Errorf(
						"listed again: on sale %t, %s, %d reports more, want true, %s and 1",
						onSale,
						b.State(ids[0]),
						len(b.Market.Reports())-before,
						store.StateLive,
					)
				}
			})
		})
	}
}

// No listing, or no variant: pending, and withdrawn under the brake when it was on sale.
func TestNothingToList(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(30)
		empty := b.Market.Add(sandbox.Publication{})[0]
		texts := map[string]sandbox.Text{"en": {Title: "Bare"}}
		bare := b.Market.Add(sandbox.Publication{Listing: &sandbox.Listing{Texts: texts}})[0]
		if s := b.Once(false); s.Pending != 2 || s.Exit != desk.ExitStanding || s.Seconds > 30 {
			t.Fatalf("got %+v, want Pending 2, Exit %v and Seconds at most 30", s, desk.ExitStanding)
		}
		for _, id := range []string{empty, bare} {
			if b.State(id) != store.StatePending {
				t.Errorf("%s is %s, want pending", id, b.State(id))
			}
			if p, _ := b.Market.Publication(id); p.Status != "syncing" {
				t.Errorf("%s was reported %s, want syncing", id, p.Status)
			}
		}
		saved, _ := b.Market.Publication(ids[0])
		if err := b.Market.SetListing(ids[0], nil); err != nil {
			t.Fatal(err)
		}
		if err := b.Market.Update(ids[1], func(l *sandbox.Listing) { l.Variants = nil }); err != nil {
			t.Fatal(err)
		}
		if s := b.Once(false); s.Withdrawn != 2 || s.Exit != desk.ExitStanding {
			t.Fatalf("got %+v, want Withdrawn 2 and Exit %v", s, desk.ExitStanding)
		}
		for _, id := range ids[:2] {
			if _, onSale := b.Shop.Get(id); onSale || b.State(id) != store.StateWithdrawn || b.Status(id) != "failed" {
				t.Errorf(
					"%s: on sale %t, %s, reported %s, want on sale false, state %v and status failed",
					id,
					onSale,
					b.State(id),
					b.Status(id),
					store.StateWithdrawn,
				)
			}
		}
		// Told once, and again where the marketplace turns out to hold another status.
		told := len(b.Market.Reports())
		b.Once(true)
		if n := len(b.Market.Reports()) - told; n != 0 {
			t.Errorf("%d reports of what was told, want 0", n)
		}
		if err := b.Market.SetStatus(ids[1], "success"); err != nil {
			t.Fatal(err)
		}
		if b.Once(true); b.Status(ids[1]) != "failed" {
			t.Errorf("after an enumeration that showed success: %s, want failed", b.Status(ids[1]))
		}
		if err := b.Market.SetListing(ids[0], saved.Listing); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		if _, onSale := b.Shop.Get(ids[0]); !onSale || b.State(ids[0]) != store.StateLive ||
			b.Status(ids[0]) != "success" {
			t.Errorf(
				"its listing is back: on sale %t, %s, reported %s, want on sale true, state %v and status success",
				onSale,
				b.State(ids[0]),
				b.Status(ids[0]),
				store.StateLive,
			)
		}
		// A mass loss of listings is a mass removal.
		for _, id := range ids[2:20] {
			if err := b.Market.SetListing(id, nil); err != nil {
				t.Fatal(err)
			}
		}
		if s := b.Once(false); s.Withdrawn != 0 || s.Held != 18 || b.Status(ids[2]) != "success" {
			t.Errorf(
				"eighteen listings lost: got %+v, reported %s, want Withdrawn 0, Held 18 and status success",
				s,
				b.Status(ids[2]),
			)
		}
		if n, err := harness.ApproveAll(b.Store, ""); err != nil || n != 18 {
			t.Fatalf("approved %d, %v, want no error and 18", n, err)
		}
		if s := b.Once(false); s.Withdrawn != 18 || b.Status(ids[2]) != "failed" {
			t.Errorf("approved: got %+v, reported %s, want Withdrawn 18 and status failed", s, b.Status(ids[2]))
		}
	})
}

// A listing that is gone while its entry stays is taken out of sale and reported whatever
// PUBSYNC_ON_REMOVED says of entries that are gone: nobody could order it. No lost answer loses the
// report.
func TestALostListingIsReported(t *testing.T) {
	for _, how := range []publication.OnRemoved{
		publication.RemovedUnpublish, publication.RemovedDelete,
		publication.RemovedKeep,
	} {
		t.Run(string(how), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{RestoreRate: 2000})
				b.Tune = func(o *connector.Options) { o.OnRemoved = how }
				ids := b.Market.AddSound(5)
				b.Once(false)
				lost, _ := b.Market.Publication(ids[0])
				if err := b.Market.SetListing(ids[0], nil); err != nil {
					t.Fatal(err)
				}
				b.Shop.Refuse = func(harness.Call) error { return errors.New("the answer is lost") }
				b.Once(false)
				b.Shop.Refuse = nil
				b.Market.Inject(
					sandbox.Fault{Kind: sandbox.Cut, Probability: 1, On: []sandbox.Kind{sandbox.KindReport}},
				)
				b.Once(false)
				if _, onSale := b.Shop.Get(ids[0]); onSale || b.Status(ids[0]) != "success" ||
					b.Shop.Count("delete") != 0 {
					t.Fatalf(
						"on sale %t, reported %s, %d deleted, want on sale false, status success and calls of delete 0",
						onSale,
						b.Status(ids[0]),
						b.Shop.Count("delete"),
					)
				}
				b.Market.Heal()
				if b.Once(false); b.State(ids[0]) != store.StateWithdrawn || b.Status(ids[0]) != "failed" {
					t.Fatalf(
						"%s, reported %s, want state %v and status failed",
						b.State(ids[0]),
						b.Status(ids[0]),
						store.StateWithdrawn,
					)
				}
				if err := b.Market.SetListing(ids[0], lost.Listing); err != nil {
					t.Fatal(err)
				}
				b.Market.Inject(
					sandbox.Fault{Kind: sandbox.RefusedReport, Probability: 1, On: []sandbox.Kind{sandbox.KindReport}},
				)
				b.Once(false)
				b.Market.Heal()
				if s := b.Once(false); s.Exit != desk.ExitOK || b.State(ids[0]) != store.StateLive ||
					b.Status(ids[0]) != "success" {
					t.Errorf(
						"its listing is back: got %+v, %s, reported %s, want Exit %v, state %v and status success",
						s,
						b.State(ids[0]),
						b.Status(ids[0]),
						desk.ExitOK,
						store.StateLive,
					)
				}
			})
		})
	}
}

// An entry that was never on sale waits for its listing, whatever was attempted; one that is back
// on the list without a listing does too.
func TestWhatWasNeverOnSaleWaitsForItsListing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(5)
		back := ids[1]
		b.Once(false)
		b.Market.Remove(back)
		b.Once(true)
		fresh := b.Market.AddSound(1)[0]
		b.Shop.Refuse = func(harness.Call) error { return errors.New("no answer") }
		b.Once(false)
		b.Shop.Refuse = nil
		b.Market.Restore(back)
		for _, id := range []string{fresh, back} {
			if err := b.Market.SetListing(id, nil); err != nil {
				t.Fatal(err)
			}
			if err := b.Market.SetStatus(id, "syncing"); err != nil {
				t.Fatal(err)
			}
		}
		for range 2 {
			s := b.Once(false)
			for _, id := range []string{fresh, back} {
				if s.Pending != 2 || b.State(id) != store.StatePending || b.Status(id) != "syncing" {
					t.Errorf(
						"%s is %s, reported %s: got %+v, want Pending 2, state %v and status syncing",
						id,
						b.State(id),
						b.Status(id),
						s,
						store.StatePending,
					)
				}
			}
		}
		if n := b.Shop.Count("unpublish"); n != 3 { // one by its removal, and each once since
			t.Errorf("%d withdrawals, want 3", n)
		}
	})
}

// A listing deleted by hand stays deleted over runs and restarts, and retry brings it back.
func TestDeletedByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(3)
		b.Once(false)
		b.Shop.Lock()
		delete(b.Shop.Products, shopadapter.PublicationID(ids[0]))
		b.Shop.Unlock()
		if err := b.Market.SetStock(ids[0], "", 77); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		if p, _ := b.Market.Publication(ids[0]); b.State(ids[0]) != store.StateBlocked || p.Status != "failed" {
			t.Fatalf("%s, reported %s, want state %v and Status failed", b.State(ids[0]), p.Status, store.StateBlocked)
		}
		b.Once(true)
		if _, onSale := b.Shop.Get(ids[0]); onSale {
			t.Fatal("a full run brought it back, want it out of sale")
		}
		if err := harness.Retry(b.Store, ids[0], false); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		p, _ := b.Market.Publication(ids[0])
		if _, onSale := b.Shop.Get(ids[0]); !onSale || b.State(ids[0]) != store.StateLive || p.Status != "success" {
			t.Errorf("after retry: on sale %t, %s, reported %s, want on sale true, state %v and Status success",
				onSale, b.State(ids[0]), p.Status, store.StateLive)
		}
	})
}

// On an empty store, what another tool made is held, and what the shop holds as ours is taken over.
func TestFirstRunOverSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Lists = true
		ids := b.Market.AddSound(6)
		b.Once(false)
		b.Lose()
		foreign := b.Market.AddSound(2)
		for _, id := range foreign {
			if err := b.Market.SetStatus(id, "success"); err != nil {
				t.Fatal(err)
			}
		}
		before := len(b.Market.Reports())
		s := b.Once(false)
		if s.Held != 2 || s.Exit != desk.ExitStanding || b.Shop.Count("create") != 6 {
			t.Fatalf(
				"got %+v, %d creates, want Held 2, Exit %v and calls of create 6",
				s,
				b.Shop.Count("create"),
				desk.ExitStanding,
			)
		}
		if n := len(b.Market.Reports()) - before; n != 0 {
			t.Errorf("%d reports over what the marketplace knows, want 0", n)
		}
		for _, id := range ids {
			if b.State(id) != store.StateLive {
				t.Errorf("%s is %s, want %v", id, b.State(id), store.StateLive)
			}
		}
		if err := harness.Approve(b.Store, foreign[0]); err != nil {
			t.Fatal(err)
		}
		s = b.Once(false)
		if _, onSale := b.Shop.Get(foreign[0]); !onSale || s.Held != 1 || s.Created != 1 {
			t.Errorf("after the approval: on sale %t, %+v, want true, Held 1 and Created 1", onSale, s)
		}
	})
}

// Interrupted, a full run goes on where it stopped: the pages it has are not listed again, and
// everything's content is read all the same.
func TestEnumerationGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		ids := b.Market.AddSound(350)
		b.Once(false)
		b.Market.Remove(ids[:5]...)
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
		b.Tune = func(o *connector.Options) {
			o.Marketplace = marketplace.New(marketplace.Config{
				URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en", "nl"},
				Transport: gated{b.Market.Transport(), fail},
			})
		}
		time.Sleep(time.Second)
		c := b.Connector()
		if s, _ := c.Once(t.Context(), desk.RunOptions{Full: true, Patience: 0}); s.Exit != desk.ExitMarketplace {
			t.Fatalf("cut after two pages: got %+v, want Exit %v", s, desk.ExitMarketplace)
		}
		if cursor, ok, _ := b.Store.CursorOf(b.T.Context(), sweep.CursorFull); !ok || cursor.Listed == 0 {
			t.Fatalf("the cursor is %+v, known %t, want one that has listed some", cursor, ok)
		}
		lists = 10
		s := b.Once(true)
		if s.Exit != desk.ExitOK || s.Withdrawn != 5 {
			t.Fatalf("got %+v, want Exit %v and Withdrawn 5", s, desk.ExitOK)
		}
		if again := lists - 10; again > 3 {
			t.Errorf("%d pages listed for what was left, want at most 3", again)
		}
		for _, id := range ids[5:] {
			if age := time.Since(b.Record(id).ReadAt.Time()); age > 30*time.Minute {
				t.Fatalf("%s was read %s ago, want at most %v", id, age, 30*time.Minute)
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
type giver struct{ *harness.Shop }

func (g giver) Withdraw(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (string, error) {
	if how != shopadapter.Delete {
		return "", g.Shop.Unpublish(ctx, ref, how)
	}
	return "product #7 was your own and is a draft now", g.Shop.Unpublish(ctx, ref, shopadapter.TakeOffline)
}

// explain shows in the history that a shop gave a product back in place of deleting it.
func TestWhatWasGivenBackIsTold(t *testing.T) {
	for _, tt := range []struct {
		how  publication.OnRemoved
		want bool
	}{{publication.RemovedDelete, true}, {publication.RemovedUnpublish, false}} {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: 2000})
			b.Tune = func(o *connector.Options) { o.OnRemoved, o.Shop = tt.how, giver{b.Shop} }
			ids := b.Market.AddSound(5)
			b.Once(false)
			b.Market.Remove(ids[0])
			b.Once(true)
			e := b.Entry(ids[0])
			rec, ok := e.Record, e.Known
			if !ok || b.State(ids[0]) != store.StateWithdrawn {
				t.Fatalf("state %s, %t, want ok true and state %v", b.State(ids[0]), ok, store.StateWithdrawn)
			}
			told := slices.ContainsFunc(
				rec.History,
				func(e store.Event) bool { return strings.Contains(e.What, "product #7 was your own") },
			)
			if told != tt.want {
				t.Errorf("%s: told %t, history %v, want %v", tt.how, told, rec.History, tt.want)
			}
		})
	}
}
