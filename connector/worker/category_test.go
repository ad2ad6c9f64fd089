package worker_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

// branches is the branch that the shop was last told of, by publication, and how often a category
// was written.
func branches(b *harness.Bench) (last map[string]string, writes int) {
	last = map[string]string{}
	for _, c := range b.Shop.Since(0) {
		if c.Changed.Has(shopadapter.FieldCategory) {
			last[string(c.ID)], writes = strings.Join(c.Product.Category.Names(), " / "), writes+1
		}
	}
	return last, writes
}

func inCategory(b *harness.Bench, path string) func(*sandbox.Listing) {
	return func(l *sandbox.Listing) { l.Category = path }
}

// The shop is told of the whole branch, follows when the marketplace renames a part of it, and is
// told of one that is new at once. The plan says the same.
func TestCategoryBranch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		ids := b.Market.AddSound(2)
		for _, id := range ids {
			if err := b.Market.Update(id, inCategory(b, "GARDEN_TOOLS_HAND")); err != nil {
				t.Fatal(err)
			}
		}
		b.Once(false)
		got, writes := branches(b)
		for _, id := range ids {
			if got[id] != "Garden / Tools / Hand tools" {
				t.Errorf("%s stands in %q, want Garden / Tools / Hand tools", id, got[id])
			}
		}
		if writes != 2 {
			t.Errorf("%d writes of a category, want 2", writes)
		}

		b.Market.SetCategory("CAMPING_HOME_TENTS", "GARDEN", map[string]string{"en": "Tents & tarpaulins"})
		if err := b.Market.Update(ids[0], inCategory(b, "CAMPING_HOME_TENTS")); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		if got, writes = branches(b); got[ids[0]] != "Garden / Tents & tarpaulins" || writes != 3 {
			t.Errorf(
				"a new category stands in %q after %d writes, want Garden / Tents & tarpaulins and 3",
				got[ids[0]],
				writes,
			)
		}

		b.Market.SetCategory("GARDEN", "", map[string]string{"en": "Outdoors"})
		time.Sleep(25 * time.Hour)
		plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), true)
		if err != nil || len(plan.Change) != 2 ||
			slices.ContainsFunc(plan.Change, func(c publication.Change) bool { return c.Field != "category" }) {
			t.Errorf("the plan is %+v, %v, want two changes, both of the category, and no error", plan, err)
		}
		b.Once(true)
		if got, writes = branches(b); got[ids[0]] != "Outdoors / Tents & tarpaulins" ||
			got[ids[1]] != "Outdoors / Tools / Hand tools" ||
			writes != 5 {
			t.Errorf(
				"after a change of name: %v after %d writes, want Tents & tarpaulins, Hand tools and 5",
				got,
				writes,
			)
		}
	})
}

// The tree is asked for by looks and full runs, once a day: an idle run costs nothing for it,
// whatever its age. A marketplace that refuses it costs little more.
func TestTheTreeCostsNextToNothing(t *testing.T) {
	for name, o := range map[string]sandbox.Options{
		"as specified": {}, "every scalar costs": {ScalarCost: 1, PageInfoMultiplied: true},
		"no categories":                      {Without: []string{"categories"}},
		"no categories and no introspection": {Without: []string{"categories"}, NoIntrospection: true},
		"no scope":                           {Denied: []string{"categories", "channels"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, o)
				// nothing is due but what changes
				b.Tune = func(o *connector.Options) { o.RefreshAfter = 30 * 24 * time.Hour }
				ids := b.Market.AddSound(3)
				if s := b.Once(false); s.Exit != desk.ExitOK || s.Created != 3 {
					t.Fatalf("first run: got %+v, want Exit %v and Created 3", s, desk.ExitOK)
				}
				if got, _ := branches(b); (got[ids[0]] == "") != (len(o.Without)+len(o.Denied) > 0) {
					t.Errorf("%s stands in %q, want no category where one cannot be read", ids[0], got[ids[0]])
				}
				// asks counts the requests for the tree that a run makes, and what they cost.
				asks := func() (requests, cost int) {
					for _, r := range b.Market.Requests() {
						if r.Operation == "Directory" {
							requests, cost = requests+1, cost+r.ActualCost
						}
					}
					return requests, cost
				}
				idle := func() {
					t.Helper()
					b.Market.Forget()
					s := b.Once(false)
					n, _ := asks()
					switch {
					case n != 0:
						t.Errorf("an idle run asks %d times for the tree, want 0", n)
					case s.Requests > 4:
						t.Errorf("an idle run takes %d requests, want at most 4", s.Requests)
					case s.Cost > 30:
						t.Errorf("an idle run costs %.0f points, want at most 30", s.Cost)
					case s.Updated != 0:
						t.Errorf("an idle run updates %d, want 0", s.Updated)
					}
				}
				idle()
				time.Sleep(25 * time.Hour)
				idle()
				for n := range 4 {
					if err := b.Market.SetStock(ids[n%3], "", 50+n); err != nil {
						t.Fatal(err)
					}
					b.Market.Forget()
					s := b.Once(false)
					// The parts that are refused come one by one behind the others. Of a document
					// that does not fit the schema the sandbox notes no name.
					requests, cost := asks()
					if want := min(1, max(0, 1+len(o.Denied)-n)); s.Updated != 1 || requests != want || cost > 120 {
						t.Errorf(
							"look %d of the day: %d requests for the tree and %d points, want %d requests, %d updated",
							n,
							requests,
							cost,
							want,
							s.Updated,
						)
					}
				}
				idle()
			})
		})
	}
}
