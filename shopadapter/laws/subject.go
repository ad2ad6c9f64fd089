package laws

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A subject is one publication of a law: its product, the ref for the next call, and the last answer.
type subject struct {
	*bench
	p      shopadapter.Product
	ref    shopadapter.Ref
	l      shopadapter.Listing
	made   shopadapter.ListingID // by the first successful publish; others must answer the same
	answer shopadapter.Listing   // of the last PUT past the adapter
	album  int                   // first number of its pictures

	edited  shopadapter.Fields // the edited text group
	mine    string             // its text now
	typed   map[string]string  // details that the merchant typed, of the first variant
	called  map[string]string  // the merchant's words for the supplier's choices
	refused bool               // the shop is to refuse the second variant
	off     bool               // the second variant is switched off
}

const mostImages = 10

func (b *bench) subject(id shopadapter.PublicationID, variants int) *subject {
	s := &subject{bench: b, album: b.albums * mostImages, called: map[string]string{}}
	b.albums++
	s.p = s.sample(id, variants)
	s.ref = s.bare()
	return s
}

func (s *subject) sample(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := Sample(id, variants)
	p.Images = s.images(1, 2)
	if s.Prefix != "" { // others' publications may have these numbers
		p = withoutEANs(p)
	}
	return p
}

func (s *subject) revised(n int) shopadapter.Product {
	p := Revise(s.p, n)
	p.Images = s.images(n+2, 1)
	return p
}

// images are addresses of a publication's own pictures, numbered from 1. A call that found another's in the shop
// would make fewer requests, and a search through its requests would skip some. An endpoint gets none.
func (s *subject) images(numbers ...int) []string {
	addresses, image := []string{}, s.Image
	if image == nil {
		image = Image
	}
	for _, n := range numbers {
		if s.Endpoint == nil {
			addresses = append(addresses, image(s.album+n))
		}
	}
	return addresses
}

// bare is the ref of a caller that has lost all but the key.
func (s *subject) bare() shopadapter.Ref { return shopadapter.Ref{Publication: s.p.ID} }

// try publishes and keeps what the call left, even with an error, as the connector does.
func (s *subject) try(changed shopadapter.Fields) error { return s.call(s.ctx, s.p, changed) }

func (s *subject) tryFigures(changed shopadapter.Fields) error {
	return s.call(s.ctx, s.p.OnlyFigures(), changed)
}

func (s *subject) call(ctx context.Context, p shopadapter.Product, changed shopadapter.Fields) (err error) {
	before, given, state := clone(p), clone(p), bytes.Clone(s.ref.State)
	s.l, err = s.adapter.Publish(ctx, s.ref, given, changed)
	s.same("the product that publish was given", before, given)
	s.same("the state that publish was given", state, s.ref.State)
	s.discreet(err)
	s.ref = shopadapter.Ref{Publication: p.ID, Listing: cmp.Or(s.l.ID, s.ref.Listing), State: s.ref.State}
	if s.l.State != nil {
		s.ref.State = s.l.State
	}
	if err == nil {
		s.made = cmp.Or(s.made, s.l.ID)
	}
	return err
}

func (s *subject) publish(changed shopadapter.Fields) { s.took(s.try(changed), changed) }

func (s *subject) put(changed shopadapter.Fields) {
	s.publish(changed)
	s.shows(all)
}

func (s *subject) revise(n int, changed shopadapter.Fields) { s.p = s.p.With(changed, s.revised(n)) }

func (s *subject) took(err error, changed shopadapter.Fields) {
	s.must(fmt.Sprintf("publish of %q (changed %s)", s.p.ID, changed), err)
	s.sound()
	s.equal("kept for the merchant", s.l.Kept, s.edited&changed)
	for id, reason := range s.l.Refused {
		s.that(s.refused && id == s.p.Variants[handled].ID, "variant %s is refused: %s", id, reason)
	}
	s.equal("refused variants", len(s.l.Refused) > 0, s.refused)
	s.that(s.l.ID == s.made,
		"the listing of %q: got %s, want %s: what was made first is not found again", s.p.ID, s.l.ID, s.made)
}

func (s *subject) withdraw(how shopadapter.Removal) error {
	_, err := s.adapter.Unpublish(s.ctx, s.ref, how)
	s.discreet(err)
	return err
}

func (s *subject) unpublish(how shopadapter.Removal) {
	s.must(fmt.Sprintf("unpublish (%s) of %q", how, s.p.ID), s.withdraw(how))
	if how == shopadapter.Delete {
		s.made = ""
	}
	s.isGone(how)
}

func (s *subject) isGone(how shopadapter.Removal) {
	for _, seen := range s.all(s.p.ID) {
		s.that(!seen.OnSale, "listing %s of %q is on sale", seen.Listing, s.p.ID)
		s.that(how != shopadapter.Delete, "listings of %q in the shop: got %s, want none", s.p.ID, seen.Listing)
	}
}

// shows ends the check unless the shop holds one listing, on sale, with these groups and the merchant's edits.
func (s *subject) shows(groups shopadapter.Fields) {
	seen := s.seen()
	s.that(seen.OnSale, "the listing of %q is not on sale", s.p.ID)
	s.equal("the merchant's "+s.edited.String(), text(seen, s.edited), s.mine)
	p := clone(s.p)
	if s.refused || s.off {
		p.Variants = slices.Delete(p.Variants, handled, handled+1)
	}
	s.compare(seen, p, groups&^s.edited)
}

func (s *subject) seen() Seen {
	products := s.all(s.p.ID)
	why := "what was made first is to be found again"
	if len(products) > 1 {
		why = "a call whose answer its caller never saw has made one too; keep one of them, and delete the other"
	}
	s.that(len(products) == 1, "listings of %q in the shop: got %d, want 1: %s", s.p.ID, len(products), why)
	s.that(s.made == "" || products[0].Listing == s.made,
		"the listing of %q in the shop: got %s, want %s, which publish returned", s.p.ID, products[0].Listing, s.made)
	return products[0]
}

// handled is the variant that is changed by hand.
const handled = 1

func (s *subject) variant(i int) SeenVariant {
	id, seen := s.p.Variants[i].ID, s.seen()
	i = seen.variant(id)
	s.that(i >= 0, "variant %s: got none in the shop, want one", id)
	return seen.Variants[i]
}

// sound checks a result's form. An endpoint need not give an address or variants.
func (s *subject) sound() {
	l := s.l
	s.that(l.ID != "", "the result has no listing id")
	// a draft's address may change when it goes on sale
	u, err := url.Parse(l.URL)
	isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	s.that(isWeb || l.URL == "" && (l.Draft || s.Endpoint != nil), "%q is no absolute http(s) address", l.URL)
	ids, by := l.ShopIDs(), map[string]string{}
	for _, v := range s.p.Variants {
		id := ids[v.ID]
		if reason, refused := l.Refused[v.ID]; refused {
			s.that(reason != "", "variant %s is refused without a reason", v.ID)
			continue
		} else if len(ids) == 0 && s.Endpoint != nil {
			continue
		}
		s.that(id != "", "variant %s has no id of the shop's", v.ID)
		s.that(by[id] == "", "the variants %s and %s have the shop's id %s", by[id], v.ID, id)
		by[id] = v.ID
	}
	for _, named := range []map[string]string{l.Refused, ids} {
		for id := range named {
			known := slices.ContainsFunc(s.p.Variants, func(v shopadapter.Variant) bool { return v.ID == id })
			s.that(known, "variant %s is named and not in the product", id)
		}
	}
	for i, m := range l.Missing {
		twice := slices.ContainsFunc(l.Missing[:i], func(n shopadapter.Picture) bool { return n.URL == m.URL })
		good := slices.Contains(s.p.Images, m.URL) && m.Reason != "" && !twice
		s.that(good, "picture %s is missing: got it named %+v, want it of the product, once, with a reason", m.URL, m)
	}
}
