package woocommerce

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/category"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/detail"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A write is one call of Publish under way. It makes several tries where a step shows
// that the shop holds something else than Find told. Each try has a Write of its own.
type write struct {
	*skeleton.Write[variation.Held]
	a    *adapter
	want desired

	state   state
	known   bool // the state came from the caller: it speaks of the time before this call
	unsure  bool // the state does not say for certain what the shop holds
	view    rest.Product
	stamp   productStamp
	written string         // the stamp as the shop holds it
	unheard []productStamp // of writes without an answer since then
	fields  map[string]any // of the product, to be written by Sell

	blind    bool   // this try writes figures without a look at the product
	looked   bool   // no further try is blind
	odd      string // the address of a variation just written: not what it is while its product is on sale
	fresh    bool   // this try made the product: nothing is on it that is not in view
	turned   bool   // this try makes a variable product of a simple one, or the reverse
	gap      bool   // this try changes the names of the attributes
	restored bool   // this call took the product out of the trash
	moved    bool   // this call went over to another product
	retaken  bool   // the product had lost its stamp, and this call puts it back
	trust    bool   // the variations that the state knows are the ones that the shop holds
	listed   bool   // the variations were read

	choices  []skeleton.Known // what the attributes are called once this call has ended well
	category *category.Chosen // nil: this call did not look for it
	sizer    detail.Sizer     // which weights, sizes and EANs are written
	shared   bool             // an EAN was left out that another product has
	album    *picture.Album   // nil: the pictures are not written, or are the merchant's
	waited   time.Duration    // for pictures of an earlier call
	// the last call ended with a request for pictures that was not answered: a second one does not
	// keep the product off sale
	repeated bool
}

var _ interface {
	skeleton.Shop[variation.Held]
	skeleton.Varying[variation.Held]
	skeleton.Renamer
} = (*write)(nil)

func (a *adapter) begin(ref shopadapter.Ref) *write {
	w := &write{a: a}
	w.state, w.known = readState(ref)
	w.unsure = !w.known || !w.state.certain() || w.state.Cut
	return w
}

func (w *write) open(next *skeleton.Write[variation.Held]) *write {
	next.Clean = w.a.Clean
	next.Ref.OnSale = next.Ref.OnSale && !w.restored // it was in the trash, with the caller's knowledge
	w.Write, w.want, w.fields, w.album = next, desire(next.Product), map[string]any{}, nil
	w.fresh, w.turned, w.gap, w.listed = false, false, false, false
	w.sizer, w.shared = detail.Sizer{}, false
	if w.Figures {
		w.want.variable = w.state.Variable
	}
	return w
}

// Publish makes the product equal to p and puts it on sale, in the order of package skeleton.
func (a *adapter) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (last shopadapter.Listing, err error) {
	p.ID = ref.Publication
	if p.Figures {
		w := a.begin(ref)
		l, err := skeleton.Publish(ctx, ref, p, changed, w.open)
		return w.drifted(l, err), err
	}
	for w := a.begin(ref); ; {
		l, err := skeleton.Publish(ctx, ref, p, changed, w.open)
		if l.State != nil || last.State == nil {
			last = l // a look that fails tells nothing, and what was written before it counts
		}
		if err = w.elsewhere(ctx, err); !errors.Is(err, errAgain) {
			return w.drifted(last, err), err
		}
	}
}

// drifted has the State of a listing that was found out of sale, or in the trash, say that the next
// call has to look: a blind one would write to it there.
func (w *write) drifted(l shopadapter.Listing, err error) shopadapter.Listing {
	if errors.Is(err, shopadapter.ErrHidden) || errors.Is(err, shopadapter.ErrGone) {
		return w.Listing()
	}
	return l
}

// errAgain begins the call again, with the product in view where there is one.
var errAgain = errors.New("the shop holds something else than was thought")

// OnSale reports whether the product is on sale. One that was not looked at was left so.
func (w *write) OnSale() bool { return w.blind || w.view.OnSale() }

// Key is the variant that a variation belongs to.
func (w *write) Key(held *variation.Held) string { return held.Key }

// ID is the shop's id of a variation, or of a simple product.
func (w *write) ID(held *variation.Held) string { return strconv.FormatInt(held.ID, 10) }

// Fits reports whether figures can be written to a variation of which nothing was read. Elsewhere
// each variation can become what it shall be.
func (w *write) Fits(held *variation.Held, v skeleton.Planned, _ bool) bool {
	return !w.blind && !w.Figures || w.writable(held.Written) && (w.blind || w.shows(held, v))
}

// writable reports whether figures can be written to a variation by what was written last alone.
func (w *write) writable(last variation.Written) bool {
	return last.Price != "" && last.Stock != "" && (last.Form != "" || !w.want.variable)
}

// Remove deletes a draft. Draft itself deletes those that late creations left.
func (w *write) Remove(ctx context.Context, id string) error {
	return w.a.Remove(ctx, listingNumber(shopadapter.ListingID(id)))
}

// use makes a product that was read, or answered, the one that is worked on.
func (w *write) use(p rest.Product) {
	if w.state.ID != int64(p.ID) {
		w.state = state{
			Version: stateVersion, Key: w.state.Key, ID: int64(p.ID), Unanswered: w.state.Unanswered, Uploads: w.state.Uploads,
		}
		w.known = false
	}
	w.hold(p)
	w.stamp = readStamp(w.written)
	w.state.OneByOne = w.state.OneByOne || !w.known && w.stamp.OneByOne
	pictures := maps.Clone(w.stamp.Pictures)
	if pictures == nil {
		pictures = map[string]int64{}
	}
	maps.Copy(pictures, w.state.Pictures)
	w.state.Pictures = pictures
}

// hold records what the shop answered of the product.
func (w *write) hold(p rest.Product) {
	w.view, w.written, w.unheard = p, rest.Stamp(p.Meta), nil
	w.state.Variable = p.Type == "variable"
	said := readStamp(w.written)
	w.state.Cut = w.state.Cut && !said.speaksOf(w.heldTexts())
	if p.Status == "publish" {
		w.state.Link = string(p.Link)
	}
}

// remember has the state say what is known of the variations.
func (w *write) remember() {
	w.state.Variants = map[string]variation.Written{}
	for _, v := range w.Variants {
		if !v.Unmade() && !v.Held.Other {
			w.state.Variants[v.ID] = v.Held.Written
		}
	}
}

func (w *write) listing() string { return strconv.FormatInt(w.state.ID, 10) }

// Listing is what is known at the end of the call, whether it succeeded or not.
func (w *write) Listing() shopadapter.Listing {
	l := shopadapter.Listing{Variants: []shopadapter.ListedVariant{}}
	if w.state.ID == 0 || w.Ref.Listing == "" && (w.view.ID == 0 || w.written == "") {
		// one that does not carry the stamp yet is not to be pointed at: it would pass for one that
		// somebody deleted
		return l
	}
	l.ID, l.URL = shopadapter.ListingID(w.listing()), w.state.Link
	if w.album != nil {
		w.Missing = w.album.Missing()
	}
	if w.category != nil {
		w.state.Category = w.category
	}
	l.State = w.state.encode()
	ids := map[string]string{}
	for id, s := range w.state.Variants {
		if w.Refused[id] == "" {
			ids[id] = strconv.FormatInt(s.ID, 10)
		}
	}
	l.Variants = shopadapter.Made(ids)
	return l
}

// called is what the merchant knows a product by.
func (a *adapter) called(p rest.Product) string {
	return "#" + strconv.FormatInt(int64(p.ID), 10) + " «" + a.Clean(words.Plain(string(p.Name))) + "»"
}
