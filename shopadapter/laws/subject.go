package laws

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A subject is one publication of a law: the product to be published, the ref for the next call, and
// what the last one answered.
type subject struct {
	*bench
	p    shopadapter.Product
	ref  shopadapter.Ref
	l    shopadapter.Listing
	last shopadapter.ListingID // what the last publish that ended well answered
	made shopadapter.ListingID // by the first publish; the others are to answer the same

	mine    map[shopadapter.Fields]string // text groups that the merchant edited, as they are now
	typed   map[string]string             // details that the merchant typed, of the first variant
	words   map[string]string             // the merchant's words for the supplier's, in the choices
	refused bool                          // the shop is to refuse the second variant
	off     bool                          // the merchant switched the second variant off
}

// subject is a publication that was not published yet.
func (b *bench) subject(name string, variants int) *subject { return b.subjectOf(b.id(name), variants) }

func (b *bench) subjectOf(id shopadapter.PublicationID, variants int) *subject {
	return &subject{
		bench: b, p: b.sample(id, variants), ref: shopadapter.Ref{Publication: id}, words: map[string]string{},
	}
}

// published is a publication that is on sale.
func (b *bench) published(name string, variants int) *subject {
	s := b.subject(name, variants)
	s.publish(all)
	return s
}

// bare is the ref of a caller that has lost all but the key.
func (s *subject) bare() shopadapter.Ref { return shopadapter.Ref{Publication: s.p.ID} }

// forget opens a new adapter, which has nothing but the key.
func (s *subject) forget() {
	s.restart()
	s.ref = s.bare()
}

// try publishes. What the call left behind is kept even when it ended in an error, as the connector
// does.
func (s *subject) try(changed shopadapter.Fields) error {
	s.begin("publish of %q (changed %s)", s.p.ID, changed)
	return s.call(s.ctx, clone(s.p), changed)
}

// tryFigures publishes the figures alone.
func (s *subject) tryFigures(changed shopadapter.Fields) error {
	s.begin("publish of the figures of %q (changed %s)", s.p.ID, changed)
	return s.call(s.ctx, s.p.OnlyFigures(), changed)
}

func (s *subject) call(ctx context.Context, p shopadapter.Product, changed shopadapter.Fields) (err error) {
	s.l, err = s.adapter.Publish(ctx, s.ref, p, changed)
	next := shopadapter.Ref{Publication: s.p.ID, Listing: s.ref.Listing, State: s.ref.State}
	if s.l.ID != "" {
		next.Listing = s.l.ID
	}
	if s.l.State != nil {
		next.State = s.l.State
	}
	if s.ref = next; err == nil {
		s.last = s.l.ID
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = s.l.Kept
	return err
}

// publish ends the check unless the call ends well, with a sound result.
func (s *subject) publish(changed shopadapter.Fields) { s.took(s.try(changed), changed) }

// put publishes, and the shop is then to show the product.
func (s *subject) put(changed shopadapter.Fields) {
	s.publish(changed)
	s.shows(all)
}

// update puts the supplier's n-th change of the groups.
func (s *subject) update(n int, changed shopadapter.Fields) {
	s.revise(n, changed)
	s.put(changed)
}

// revise is the supplier's n-th change of the groups.
func (s *subject) revise(n int, changed shopadapter.Fields) {
	s.p = s.p.With(changed, s.bench.revise(s.p, n))
}

// write publishes the supplier's n-th change of everything by send, of which only the groups are said
// to have changed; no other is to be written.
func (s *subject) write(n int, changed shopadapter.Fields, send func(changed shopadapter.Fields) error) {
	before := s.p
	s.p = s.bench.revise(before, n)
	s.took(send(changed), changed)
	s.p = before.With(changed, s.p)
	s.shows(all)
}

func (s *subject) took(err error, changed shopadapter.Fields) {
	if errors.Is(err, shopadapter.ErrGone) && s.made != "" {
		s.fail("publish of %q: what was made before is not found again: %w", s.p.ID, err)
	}
	s.must(fmt.Sprintf("publish of %q", s.p.ID), err)
	s.must("result of publish", sound(s.l, s.p, changed))
	s.equal("kept for the merchant", s.l.Kept, s.edited()&changed)
	for id, reason := range s.l.Refused {
		if !s.refused || id != s.p.Variants[handled].ID {
			s.fail("variant %s is refused: %s", id, reason)
		}
	}
	s.equal("refused variants", len(s.l.Refused) > 0, s.refused)
	if s.made != "" && s.l.ID != s.made {
		s.fail("the listing of %q: got %s, want %s: what was made first is not found again", s.p.ID, s.l.ID, s.made)
	}
	s.made = s.l.ID
}

// withdraw takes the listing out of sale, or deletes it.
func (s *subject) withdraw(how shopadapter.Removal) error {
	s.begin("unpublish of %q (%s)", s.ref.Publication, how)
	_, err := s.adapter.Unpublish(s.ctx, s.ref, how)
	return err
}

// unpublish ends the check unless the listing leaves the shop in the way given.
func (s *subject) unpublish(how shopadapter.Removal) {
	s.must(fmt.Sprintf("unpublish (%s) of %q", how, s.p.ID), s.withdraw(how))
	if how == shopadapter.Delete {
		s.made = ""
	}
	s.isGone(s.p.ID, how)
}

// edited is the groups that the merchant edited.
func (s *subject) edited() (groups shopadapter.Fields) {
	for group := range s.mine {
		groups |= group
	}
	return groups
}

// shows ends the check unless the shop holds exactly one listing of the product, on sale. It must show
// the product's groups, and the merchant's words where the merchant edited.
func (s *subject) shows(groups shopadapter.Fields) {
	seen := s.seen()
	if !seen.OnSale {
		s.fail("the listing of %q is not on sale", s.p.ID)
	}
	for group, mine := range s.mine {
		s.equal("the merchant's "+group.String(), text(seen, group), mine)
	}
	p := clone(s.p)
	if s.refused || s.off {
		p.Variants = slices.Delete(p.Variants, handled, handled+1)
	}
	s.must("the listing", s.compare(seen, p, groups&^s.edited()))
}

// seen is the only listing of the publication.
func (s *subject) seen() Seen {
	products := s.all(s.p.ID)
	switch n := len(products); {
	case n > 1:
		s.fail("listings of %q in the shop: got %d, want 1: what was made first is not found again", s.p.ID, n)
	case n == 0:
		s.fail("listings of %q in the shop: got none, want 1", s.p.ID)
	case s.last != "" && products[0].Listing != s.last:
		s.fail("the listing of %q in the shop: got %s, want the one that publish returned, %s",
			s.p.ID, products[0].Listing, s.last)
	}
	return products[0]
}

// handled is the variant on which something is done by hand.
const handled = 1

// variant is one of the product's as the shop holds it.
func (s *subject) variant(i int) SeenVariant {
	id, seen := s.p.Variants[i].ID, s.seen()
	if i = seen.variant(id); i < 0 {
		s.fail("variant %s: got none in the shop, want one", id)
	}
	return seen.Variants[i]
}

// sound holds a successful result to its form.
func sound(l shopadapter.Listing, p shopadapter.Product, changed shopadapter.Fields) error {
	var faults []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	wrong(l.ID == "", "it has no listing id")
	// the address of a draft may be another than that at which it is sold
	u, err := url.Parse(l.URL)
	isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	wrong(!isWeb && !(l.Draft && l.URL == ""), "%q is no absolute http(s) address", l.URL)
	extra := l.Kept &^ (changed & shopadapter.TextFields)
	wrong(extra != 0, "kept names %s, which are not text groups among the changed", extra)
	ids, shopIDs, known := l.ShopIDs(), map[string]bool{}, map[string]bool{}
	for _, v := range p.Variants {
		known[v.ID] = true
		reason, refused := l.Refused[v.ID]
		id := ids[v.ID]
		wrong(refused && reason == "", "variant %s is refused without a reason", v.ID)
		wrong(!refused && id == "", "variant %s has no id of the shop's", v.ID)
		wrong(!refused && id != "" && shopIDs[id], "two variants have the shop's id %s", id)
		shopIDs[id] = !refused
	}
	for _, named := range []map[string]string{l.Refused, ids} {
		for id := range named {
			wrong(!known[id], "variant %s is named and not in the product", id)
		}
	}
	named := map[string]bool{}
	for _, m := range l.Missing {
		wrong(!slices.Contains(p.Images, m.URL), "picture %s is missing and not in the product", m.URL)
		wrong(m.Reason == "", "picture %s is missing without a reason", m.URL)
		wrong(named[m.URL], "picture %s is missing twice", m.URL)
		named[m.URL] = true
	}
	return errors.Join(faults...)
}
