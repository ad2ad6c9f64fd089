package laws_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const (
	titles  = shopadapter.FieldTitle
	words   = titles | shopadapter.FieldDescription
	figures = shopadapter.FieldPrice | shopadapter.FieldStock
	details = shopadapter.FieldBrand | shopadapter.FieldDetails
	all     = shopadapter.AllFields
)

type (
	listed  = shopadapter.Listed
	variant = shopadapter.Variant
)

// A saboteur is the reference with one mistake of an author's. Each function stands at one place of
// a call: before or after a Publish, around an Unpublish, a Check or a List, or at one row of that.
type saboteur struct {
	laws, does    string // the laws that catch it; what it does
	before, after func(c *call)
	drop          func(c *call)
	check         func(err error) error
	list          func(c *call, q *shopadapter.Query)
	row           func(c *call, l *listed)
	failed        func(err error) error // nil: the list ends there
}

// A call is one of the adapter under way.
type call struct {
	*world
	next    shopadapter.Adapter
	ctx     context.Context
	ref     shopadapter.Ref
	given   shopadapter.Product // the caller's
	p       shopadapter.Product // a copy
	changed shopadapter.Fields
	how     shopadapter.Removal
	own     shopadapter.ListingID
	l       shopadapter.Listing
	err     error
}

func (c *call) made() bool { return c.ref.Listing != "" }

func (c *call) it() (shoptest.Product, bool) { return c.Get(string(c.ref.Publication)) }

func (c *call) hand(change func(p *shoptest.Product)) { c.Hand(string(c.ref.Publication), change) }

func (c *call) each(change func(v *variant)) {
	for i := range c.p.Variants {
		change(&c.p.Variants[i])
	}
}

// as makes the call about another publication of the shop.
func (c *call) as(id shopadapter.PublicationID) { c.ref.Publication = id }

// explained changes what the error says of who can mend it.
func (c *call) explained(change func(e *shopadapter.Error)) {
	if e := shopadapter.Explain(c.err); e != nil {
		again := *e
		change(&again)
		c.err = &again
	}
}

var saboteurs = []saboteur{
	{laws: "publish", does: "writes prices without their cents", before: func(c *call) {
		c.each(func(v *variant) { v.Price, _, _ = strings.Cut(v.Price, ".") })
	}},
	{laws: "idempotent", does: "appends the pictures to those that are there", before: func(c *call) {
		it, _ := c.it()
		c.p.Images = slices.Concat(it.Images, c.p.Images)
	}},
	{laws: "last-wins republish", does: "writes stock at creation only", before: func(c *call) {
		if _, found := c.it(); found {
			c.changed &^= shopadapter.FieldStock
		}
		c.ref.Listing += "made"
	}},
	{laws: "only-changed", does: "writes every group whatever changed", before: func(c *call) { c.changed = all }},
	{laws: "restart-without-hint late-picture", does: "makes anew what it has no hint of", before: func(c *call) {
		if !c.made() {
			_, c.err = c.next.Unpublish(c.ctx, c.ref, shopadapter.Delete)
		}
	}},
	{laws: "stale-hint", does: "takes what the hint points to without looking at the stamp", before: func(c *call) {
		for key, p := range c.Products() {
			if p.Listing == c.ref.Listing {
				c.as(shopadapter.PublicationID(key))
			}
		}
	}},
	{laws: "hostile-ids", does: "folds the key", before: func(c *call) {
		c.as(shopadapter.PublicationID(strings.ToLower(string(c.ref.Publication))))
	}},
	{laws: "variants observed-variant-gone", does: "never removes or adds a variant", before: func(c *call) {
		if it, found := c.it(); found && !c.p.Figures {
			c.p.Variants = it.Variants
		}
	}},
	{laws: "choice", does: "gives each variant the price of the first", before: func(c *call) {
		c.each(func(v *variant) { v.Price = c.p.Variants[0].Price })
	}},
	{laws: "renamed-choice", does: "puts its own names of options back", before: func(c *call) {
		c.with(func() { clear(c.words) })
	}},
	{laws: "unpublish", does: "hides what it should delete", drop: func(c *call) { c.how = shopadapter.TakeOffline }},
	{laws: "unpublish-twice lost-answer", does: "cannot unpublish what is not there", drop: func(c *call) {
		if _, found := c.it(); !found {
			c.err = shopadapter.Retry("no such listing")
		}
	}},
	{laws: "draft", does: "puts on sale what is to be a draft", before: func(c *call) { c.p.Draft = false }},
	{laws: "deleted-by-hand", does: "makes a deleted listing again", before: func(c *call) {
		c.ref.Listing, c.ref.Asked = "", true
	}},
	{laws: "hidden-by-hand", does: "puts on sale what the merchant took out of sale", before: func(c *call) {
		c.ref.OnSale = false
	}},
	{laws: "hidden-by-hand", does: "never puts on sale what was hidden", before: func(c *call) { c.ref.OnSale = true }},
	{laws: "stamp-deleted", does: "takes back what has lost its stamp without being asked", before: func(c *call) {
		c.ref.Revive = true
	}},
	{laws: "foreign", does: "adopts a product that looks like ours", before: func(c *call) {
		for key, p := range c.Products() {
			if p.Own && p.Variants[0].SKU == c.p.Variants[0].SKU {
				c.Hand(key, func(p *shoptest.Product) { p.Own = false })
				c.as(shopadapter.PublicationID(key))
			}
		}
	}},
	{laws: "refused-variant", does: "gives up at the first refused variant", after: func(c *call) {
		for id, reason := range c.l.Refused {
			c.err = shopadapter.Reject("variant %s: %s", id, reason)
		}
	}},
	{laws: "refused-product", does: "tries a refused product for ever", after: func(c *call) {
		c.explained(func(e *shopadapter.Error) { e.Kind = shopadapter.Transient })
	}},
	{
		laws: "merchants-edit merchants-detail restock-leaves-the-merchants", does: "overwrites the merchant's edit",
		before: func(c *call) { c.ref.Reset, c.p.Figures = all, false },
	},
	{laws: "merchants-edit merchants-detail", does: "keeps an edit that was reset", before: func(c *call) {
		c.ref.Reset = 0
	}},
	{
		laws: "edit-not-invented translation-lost-answer detail-lost-answer restock-lost-answer",
		does: "takes what a lost call wrote for the merchant's", after: func(c *call) {
			if it, found := c.it(); found && shopadapter.Explain(c.err) != nil && it.Title != "" {
				c.hand(func(p *shoptest.Product) { p.Edited = words })
				c.with(func() { c.typed[c.p.Variants[0].ID] = map[string]string{"weight": it.Variants[0].Weight} })
			}
		},
	},
	{
		laws: "edit-not-invented translation-lost-answer", does: "writes its note in a request after that of the text",
		before: func(c *call) {
			if it, _ := c.it(); it.Edited != 0 {
				return // its note is of another text: that is the merchant's
			}
			if _, c.err = c.next.Publish(c.ctx, c.ref, c.p, c.changed); c.err == nil {
				c.hand(func(p *shoptest.Product) { p.Edited = words })
				c.ref.Reset |= words
			}
		},
		after: func(c *call) {
			if c.err == nil {
				c.hand(func(p *shoptest.Product) { p.Edited &^= words })
			}
		},
	},
	{laws: "details-shown", does: "writes details at creation only", before: func(c *call) {
		if c.made() {
			c.changed &^= details
		}
	}},
	{laws: "details-unknown", does: "clears details that could not be read", before: func(c *call) {
		c.changed, c.p.Unknown = all, 0
	}},
	{laws: "image-once", does: "uploads every picture at every change", before: func(c *call) {
		c.with(func() { clear(c.library) })
	}},
	{
		laws: "late-picture refused-picture", does: "leaves out a picture that it cannot get without a word",
		after: func(c *call) {
			c.l.Missing = nil
		},
	},
	{
		laws: "late-creation", does: "gives each creation a key of its own, and looks for one first",
		before: func(c *call) {
			for key, p := range c.Products() {
				if p.ID == c.p.ID {
					c.as(shopadapter.PublicationID(key))
					return
				}
			}
			c.creations++
			c.as(shopadapter.PublicationID(fmt.Sprint(c.p.ID, "~", c.creations)))
		},
	},
	{laws: "lost-answer", does: "makes a creation anew while it has no hint", before: func(c *call) {
		if !c.made() {
			c.creations++
			c.as(shopadapter.PublicationID(fmt.Sprint(c.p.ID, "~", c.creations)))
		}
	}},
	{laws: "lost-answer", does: "marks what it makes in the next request", before: func(c *call) {
		if _, found := c.it(); !found {
			c.own = c.Add(c.p)
		}
	}, after: func(c *call) {
		if c.err == nil {
			c.Hand("own "+string(c.own), func(p *shoptest.Product) { p.Deleted = true })
		}
	}},
	{laws: "fault-half-way", does: "blocks at a server error", after: func(c *call) {
		c.explained(func(e *shopadapter.Error) { e.Kind = shopadapter.Blocked })
	}},
	{laws: "never-half-built", does: "sells the first variant before the others are there", before: func(c *call) {
		p := c.p
		p.Variants = p.Variants[:1]
		_, c.err = c.next.Publish(c.ctx, c.ref, p, c.changed)
	}},
	{laws: "fault-half-way credentials", does: "reports what the whole shop meets of one product", after: func(c *call) {
		c.explained(func(e *shopadapter.Error) { e.ShopWide, e.RetryAfter = false, 0 })
	}},
	{laws: "checker", does: "finds every shop in order", check: func(error) error { return nil }},
	{laws: "no-secret", does: "shows the request that failed", after: func(c *call) {
		c.explained(func(e *shopadapter.Error) { e.Message += " for Bearer " + goodToken })
	}},
	{laws: "parallel", does: "shares one product between all calls", before: func(c *call) {
		c.with(func() { c.current = c.p })
		time.Sleep(time.Millisecond)
		c.with(func() { c.p = c.current })
	}},
	{laws: "cancel", does: "makes its requests with a context of its own", before: func(c *call) {
		c.ctx = context.WithoutCancel(c.ctx)
	}},
	{laws: "input-unmodified", does: "sorts the caller's variants", before: func(c *call) {
		slices.Reverse(c.given.Variants)
	}},
	{
		laws: "restock observed-price observed-quantity", does: "brings one variant's figures in line and no other's",
		before: func(c *call) {
			if it, _ := c.it(); c.p.Figures {
				for i := range c.p.Variants[1:] {
					c.p.Variants[i+1] = it.Variants[i+1]
				}
			}
		},
	},
	{laws: "restock-asks-whole", does: "says that it wrote figures of what it does not hold", after: func(c *call) {
		if errors.Is(c.err, shopadapter.ErrWhole) {
			c.err = nil
		}
	}},
	{laws: "restock-refused-variant", does: "rejects figures that need the whole product", after: func(c *call) {
		if errors.Is(c.err, shopadapter.ErrWhole) {
			c.err = shopadapter.Reject("a figure is refused")
		}
	}},
	{laws: "net-price", does: "writes prices with tax where the shop adds it", before: func(c *call) {
		prices := shopadapter.Prices{VAT: c.vat}
		c.each(func(v *variant) { v.Price = prices.Shown(v.Price) })
	}},
	{laws: "lister", does: "lists nothing where it should report an error", failed: func(error) error { return nil }},
	{laws: "lister observed-foreign", does: "lists what others made", row: func(c *call, l *listed) {
		for _, p := range c.Products() {
			if p.Own {
				l.Ref = shopadapter.Ref{Publication: p.ID, Listing: p.Listing}
			}
		}
	}},
	{laws: "observed-as-written observed-quantity", does: "observes no stock", row: func(_ *call, l *listed) {
		for i := range l.Variants {
			l.Variants[i].Quantity = 0
		}
	}},
	{laws: "observed-some", does: "observes all whatever is asked for", list: func(_ *call, q *shopadapter.Query) {
		q.Refs = nil
	}},
	{laws: "observed-idle", does: "writes on what it observes", row: func(c *call, l *listed) {
		c.Hand(string(l.Ref.Publication), func(p *shoptest.Product) { p.Variants[0].Quantity-- })
	}},
	{
		laws: "observed-price observed-quantity observed-variant-gone", does: "observes what it wrote",
		after: func(c *call) {
			for l := range c.next.List(c.ctx, shopadapter.Query{Refs: []shopadapter.Ref{c.ref}}) {
				c.memories[c.ref.Publication] = l
			}
		},
		row: func(c *call, l *listed) { *l = c.memories[l.Ref.Publication] },
	},
	{laws: "observed-reduction", does: "observes a reduced price as the price", row: func(c *call, l *listed) {
		for i := range l.Variants {
			if offer := c.offers[l.Variants[i].ID]; offer != "" {
				l.Variants[i].Price = offer
			}
		}
	}},
	{laws: "observed-variant-off", does: "switches on each variant that it writes", before: func(c *call) {
		c.ref.Revive = true
	}},
	{laws: "observed-edit", does: "observes no edit", row: func(_ *call, l *listed) { l.Edited = 0 }},
	{laws: "observed-unedited", does: "takes a text that is escaped for an edited one", row: func(c *call, l *listed) {
		if it, _ := c.Get(string(l.Ref.Publication)); strings.ContainsAny(it.Title, `&<>"'`) {
			l.Edited |= titles
		}
	}},
}

// A spoiled adapter is the reference with a saboteur in it.
type spoiled struct {
	shopadapter.Adapter
	*world
	by saboteur
}

// do makes a call between what the saboteur does before and after it.
func (s spoiled) do(c *call, before func(*call), act func(), after func(*call)) {
	if c.world, c.next = s.world, s.Adapter; before != nil {
		before(c)
	}
	if c.err == nil {
		act()
	}
	if after != nil {
		after(c)
	}
}

func (s spoiled) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	c := &call{ctx: ctx, ref: ref, given: p, p: p, changed: changed}
	c.p.Variants = slices.Clone(p.Variants)
	s.do(c, s.by.before, func() { c.l, c.err = c.next.Publish(c.ctx, c.ref, c.p, c.changed) }, s.by.after)
	return c.l, c.err
}

func (s spoiled) Unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) (note string, err error) {
	c := &call{ctx: ctx, ref: ref, how: how}
	s.do(c, s.by.drop, func() { note, c.err = c.next.Unpublish(c.ctx, c.ref, c.how) }, nil)
	return note, c.err
}

func (s spoiled) Check(ctx context.Context) (is shopadapter.Info, err error) {
	if is, err = s.Adapter.Check(ctx); s.by.check != nil {
		err = s.by.check(err)
	}
	return is, err
}

func (s spoiled) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	c := &call{ctx: ctx, world: s.world, next: s.Adapter}
	if s.by.list != nil {
		s.by.list(c, &q)
	}
	return func(yield func(shopadapter.Listed, error) bool) {
		for l, err := range s.Adapter.List(ctx, q) {
			if err == nil && s.by.row != nil {
				s.by.row(c, &l)
			}
			if err != nil && s.by.failed != nil {
				if err = s.by.failed(err); err == nil {
					return
				}
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

func TestEverySaboteurIsCaught(t *testing.T) {
	caught := map[string]bool{}
	for _, s := range saboteurs {
		for id := range strings.FieldsSeq(s.laws) {
			caught[id] = true
			t.Run(id+"/"+s.does, func(t *testing.T) {
				w := newWorld()
				h := w.harness(func(plain shopadapter.Adapter) shopadapter.Adapter {
					return spoiled{w.reference(plain), w, s}
				})
				err := verdict(t, law(t, id), h)
				var skip *laws.Skip
				if err == nil || errors.As(err, &skip) {
					t.Errorf("got %v, want it caught", err)
				}
				t.Log(err)
			})
		}
	}
	for _, law := range laws.Laws() {
		if !caught[law.ID] {
			t.Errorf("saboteurs of %s: got none, want one", law.ID)
		}
	}
}
