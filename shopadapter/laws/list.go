package laws

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// notObserved is why the laws of what stands in the shop are skipped where its list does not tell.
const notObserved = "the shop does not list what stands in it: nothing tells what somebody changed there"

// everything is the query for all listings.
var everything shopadapter.Query

// observation lists, and gives the law's own publications.
func (b *bench) observation(q shopadapter.Query) map[shopadapter.PublicationID]shopadapter.Listed {
	what := "all"
	if q.Refs != nil {
		what = fmt.Sprintf("%d listings", len(q.Refs))
	}
	b.begin("list (%s)", what)
	all := map[shopadapter.PublicationID]shopadapter.Listed{}
	for one, err := range b.adapter.List(b.ctx, q) {
		id := one.Ref.Publication
		_, twice := all[id]
		switch {
		case errors.Is(err, shopadapter.ErrNoList):
			b.skip(notObserved)
		case err != nil:
			b.fail("list: %w", err)
		case id == "":
			b.fail("list: got listing %q without a publication, want none", one.Ref.Listing)
		case twice:
			b.fail("list: got %q twice, want it once", id)
		case strings.HasPrefix(string(id), string(b.id(""))):
			all[id] = one
		}
	}
	return all
}

// watched is the publication as a complete observation has it.
func (s *subject) watched() shopadapter.Listed {
	o, ok := s.observation(everything)[s.p.ID]
	if !ok {
		s.fail("list: got nothing of %q, want its listing", s.p.ID)
	}
	return o
}

// observed ends the check unless a complete observation has the product as it was written, on sale.
func (s *subject) observed() {
	o := s.watched()
	s.equal("list: the listing of "+string(s.p.ID), o.Ref.Listing, s.l.ID)
	s.equal("list: it is on sale", o.OnSale, true)
	if o.Images >= 0 || !s.Hidden.Has(shopadapter.FieldImages) {
		s.equal("list: the number of pictures", o.Images, len(s.p.Pictures()))
	}
	if o.Variants != nil || !s.Hidden.Has(figures) {
		s.equal("list: the number of variants", len(o.Variants), len(s.p.Variants))
		s.asWritten(o, -1)
	}
}

// asWritten ends the check unless an observation has the variants, but for one, as they were
// written, on sale where they were not switched off.
func (s *subject) asWritten(o shopadapter.Listed, but int) {
	var d differences
	for i, v := range s.p.Variants {
		got, off := s.listed(o, v.ID), s.off && i == handled
		if i != but && !off {
			s.compareVariant(&d, SeenVariant{
				SKU: got.SKU, Options: optionMap(v.Options), Price: got.Price, Quantity: got.Quantity, Backorders: got.Backorders,
			}, v, structure&^s.Hidden)
		}
		if got.OnSale == off || got.Uncounted && !off && !s.Hidden.Has(shopadapter.FieldStock) {
			d.add("on sale, uncounted of variant "+v.ID, fmt.Sprint(got.OnSale, got.Uncounted), fmt.Sprint(!off, false))
		}
	}
	s.must("list", d.of("the observation", s.p.ID))
}

// listed is the variant with the marketplace's id, or with the shop's that publishing it answered.
func (s *subject) listed(o shopadapter.Listed, id string) shopadapter.ListedVariant {
	made := s.l.ShopIDs()[id]
	found := slices.DeleteFunc(slices.Clone(o.Variants), func(v shopadapter.ListedVariant) bool {
		return v.ID != id && (v.ShopID != made || made == "")
	})
	if len(found) != 1 {
		s.fail("list: variants of %q with the id %s, or %s: got %d, want 1", s.p.ID, made, id, len(found))
	}
	return found[0]
}

// agrees holds a complete list to what the shop shows.
func (b *bench) agrees() {
	got, want := map[shopadapter.PublicationID]string{}, map[shopadapter.PublicationID]string{}
	for _, s := range b.snapshot() {
		if strings.HasPrefix(string(s.Publication), string(b.id(""))) {
			want[s.Publication] = fmt.Sprintf("listing %s, on sale: %t", s.Listing, s.OnSale)
		}
	}
	for id, l := range b.observation(everything) {
		got[id] = fmt.Sprintf("listing %s, on sale: %t", l.Ref.Listing, l.OnSale)
		if l.OnSale && l.URL == "" && b.Endpoint == nil {
			b.fail("list: got no address of %q, which is on sale", id)
		}
	}
	if diff := difference(want, got); diff != "" {
		b.fail("list: not as it stands in the shop:\n%s", diff)
	}
}

// endsWithAnError holds a list of a shop that cannot be reached to one error, at the end. An adapter
// without a transport is not asked.
func (b *bench) endsWithAnError() {
	if b.NoTransport {
		return
	}
	lift := b.wire.arm(every, unsent)
	defer lift()
	var failed error
	for _, err := range b.adapter.List(b.ctx, everything) {
		if failed != nil {
			b.fail("list: it went on after the error %w", failed)
		}
		failed = err
	}
	if failed == nil {
		b.fail("list: a shop that cannot be reached ended it without an error, so that it looks empty")
	}
}

func checkLister(b *bench) {
	b.observation(shopadapter.Query{Refs: []shopadapter.Ref{}}) // skips where there is no list
	shown := b.published("shown", 3)
	b.published("plain", 1)
	b.published("hidden/../?#", 1).unpublish(shopadapter.TakeOffline)
	b.published("deleted", 1).unpublish(shopadapter.Delete)
	if b.AddForeign != nil {
		b.foreign(b.sample(b.id("foreign"), 1))
	}
	b.agrees()
	for _, err := range b.adapter.List(b.ctx, everything) {
		b.must("list", err)
		break // a caller may stop early
	}
	shown.ref = shown.watched().Ref
	b.in("with a ref from the list")
	shown.update(1, all)
	b.endsWithAnError()
}

func checkObservedSome(b *bench) {
	made := map[string]*subject{}
	for _, name := range []string{"a", "b", "c", "deleted"} {
		made[name] = b.published(name, 2)
	}
	gone := made["deleted"].ref
	made["deleted"].unpublish(shopadapter.Delete)
	stateless := made["a"].ref
	stateless.State = nil
	for _, tt := range []struct {
		name string
		refs []shopadapter.Ref
		want []string
	}{
		{"one", []shopadapter.Ref{made["b"].ref}, []string{"b"}},
		{"without its state", []shopadapter.Ref{stateless}, []string{"a"}},
		{"two", []shopadapter.Ref{made["c"].ref, made["a"].ref}, []string{"a", "c"}},
		{"one that is gone", []shopadapter.Ref{gone}, nil},
		{"one beside one that is gone", []shopadapter.Ref{gone, made["b"].ref}, []string{"b"}},
		{"none", []shopadapter.Ref{}, nil},
	} {
		b.in("%s", tt.name)
		all := b.observation(shopadapter.Query{Refs: tt.refs})
		b.equal("listings", len(all), len(tt.want))
		for _, name := range tt.want {
			b.equal("the listing of "+name, all[b.id(name)].Ref.Listing, made[name].l.ID)
		}
	}
}

func checkObservedCost(b *bench) {
	if b.NoTransport {
		b.skip("the adapter makes no requests")
	}
	cost := func(name string, listings int) int {
		for i := range listings {
			b.published(fmt.Sprint(name, i), 2)
		}
		made, _ := b.requests(func() { b.observation(everything) })
		return made
	}
	cost("none", 0) // what is read once is read here
	const more = 10
	before := cost("few-", 2)
	if got := cost("more-", more) - before; got >= more {
		b.fail("requests for %d listings more: got %d, want fewer", more, got)
	}
}

func checkObservedForeign(b *bench) {
	ours := b.published("ours", 1)
	stranger := b.sample(b.id("stranger"), 2)
	foreign := b.foreign(stranger)
	hint := shopadapter.Query{Refs: []shopadapter.Ref{{Publication: stranger.ID, Listing: foreign}}}
	for _, q := range []shopadapter.Query{everything, hint} {
		for id, o := range b.observation(q) {
			if id != ours.p.ID || o.Ref.Listing == foreign {
				b.fail("list: got %q, listing %s, which is foreign", id, o.Ref.Listing)
			}
		}
	}
}

// told ends the check unless the texts that the merchant edited, and no others, are observed as
// edited. It returns those that were compared.
func (s *subject) told() (compared shopadapter.Fields) {
	o := s.watched()
	if extra := o.Compared&^shopadapter.TextFields | o.Edited&^o.Compared; extra != 0 {
		s.fail("list: %q: got %s compared that are no texts, or edited that were not compared", s.p.ID, extra)
	}
	s.equal(fmt.Sprintf("list: edited texts of %q", s.p.ID), o.Edited, s.edited()&o.Compared)
	return o.Compared
}
