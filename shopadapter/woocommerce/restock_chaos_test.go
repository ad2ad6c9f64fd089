package woocommerce

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/race"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// PHP dies anywhere, the merchant deletes variations, and hints are lost. The caller writes no more
// than what has changed since the last call that ended well, as the connector does: figures alone
// first. What a call without an error says is in the shop is there.
func TestFiguresAmongDeaths(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign")
	}
	t.Parallel()
	for seed := range uint64(24 / race.Stride) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { restockAmongDeaths(t, rand.New(rand.NewPCG(seed, 11))) })
		})
	}
}

// A caller knows what it wrote last, and what it attempted since.
type caller struct {
	t         *testing.T
	f         *fakeShop
	a         *adapter
	ref       shopadapter.Ref
	written   shopadapter.Product
	attempted shopadapter.Fields
}

func restockAmongDeaths(t *testing.T, r *rand.Rand) {
	f := newFakeShop(t)
	f.watched(t)
	c := &caller{t: t, f: f, a: f.connect(t, realPatience(), nil), written: sample("figures", 1+r.IntN(4))}
	c.ref, _ = must(t, c.a, refOf(c.written), c.written, shopadapter.AllFields)
	deaths := func(string) bool { return r.IntN(10) == 0 }
	price := 100
	for range 15 {
		p, does := c.written, r.IntN(8)
		p.Variants = slices.Clone(p.Variants)
		for i := range p.Variants {
			if i == 0 || does == 3 || r.IntN(2) == 0 { // a deletion shows where the variation is written
				price++
				p.Variants[i].Price = fmt.Sprintf("%d.50", price)
			}
			if r.IntN(2) == 0 {
				p.Variants[i].Quantity = r.IntN(50)
			}
		}
		switch does {
		case 0:
			p.Title = fmt.Sprint("Lamp ", r.IntN(1000))
		case 1:
			c.a = f.connect(t, realPatience(), nil)
		case 2:
			c.ref.State = nil
		case 3:
			if children := f.Children(f.Find(c.ref.Listing).ID); len(children) > 1 {
				f.Erase(children[r.IntN(len(children))])
			}
		}
		f.Dies = deaths
		c.write(p)
	}
	f.Dies = nil
	p := restocked(c.written, 1)
	for try := 0; c.write(p) != nil; try++ {
		if try == 8 {
			t.Fatal("it does not settle")
		}
	}
	mustRestock(t, c.a, c.ref, restocked(p, 2))
	if broken := f.inconsistent(restocked(p, 2)); broken != "" {
		t.Errorf("the last figures: %s", broken)
	}
}

// write writes what has changed: figures alone where no attempt is open and nothing else has
// changed.
func (c *caller) write(p shopadapter.Product) error {
	c.t.Helper()
	changed := c.attempted | c.differing(p)
	if c.attempted == shopadapter.NoFields && changed != shopadapter.NoFields && changed&^variation.Figures == 0 {
		err := c.restock(p, changed)
		if !errors.Is(err, shopadapter.ErrWhole) {
			return c.ended(p, changed, err)
		}
	}
	l, err := c.a.Publish(c.t.Context(), c.ref, p, changed)
	if l.ID != "" {
		c.ref.State = l.State
	}
	return c.ended(p, changed, err)
}

func (c *caller) restock(p shopadapter.Product, changed shopadapter.Fields) error {
	before := c.f.seen(c.t, p.ID)
	l, err := c.a.Publish(c.t.Context(), c.ref, p.OnlyFigures(), changed)
	switch {
	case !errors.Is(err, shopadapter.ErrWhole):
		c.ref.State = l.State
	case !cmp.Equal(before, c.f.seen(c.t, p.ID)):
		c.t.Errorf("ErrWhole, and the shop changed:\n%s", cmp.Diff(before, c.f.seen(c.t, p.ID)))
	}
	return err
}

// ended notes how a call ended, and holds the shop to one that ended well.
func (c *caller) ended(p shopadapter.Product, changed shopadapter.Fields, err error) error {
	c.t.Helper()
	if err != nil {
		c.attempted = changed
		if e := shopadapter.Explain(err); e.Kind != shopadapter.Transient {
			c.t.Fatalf("%s: %v", e.Kind, err)
		}
		return err
	}
	c.attempted, c.written = shopadapter.NoFields, p
	if broken := c.f.inconsistent(p); broken != "" {
		c.t.Errorf("after a call that ended well: %s", broken)
	}
	return nil
}

func (c *caller) differing(p shopadapter.Product) (changed shopadapter.Fields) {
	if p.Title != c.written.Title {
		changed |= shopadapter.FieldTitle
	}
	for i, v := range p.Variants {
		if v.Price != c.written.Variants[i].Price {
			changed |= shopadapter.FieldPrice
		}
		if v.Quantity != c.written.Variants[i].Quantity {
			changed |= shopadapter.FieldStock
		}
	}
	return changed
}
