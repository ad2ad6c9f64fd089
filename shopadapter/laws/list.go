package laws

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

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
			b.skip("the shop does not list what stands in it: nothing tells what somebody changed there")
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

// ofList are the verbs that hold the list to what a law says.
var ofList = map[string]verb{
	"lists": func(p *player, _ []string, _ string) { p.observation(shopadapter.Query{Refs: []shopadapter.Ref{}}) },
	// observed: a complete observation has the product as it was written, on sale.
	"observed": func(p *player, _ []string, _ string) {
		o := p.watched()
		p.equal("list: the listing of "+string(p.p.ID), o.Ref.Listing, p.l.ID)
		p.equal("list: it is on sale", o.OnSale, true)
		if o.Images >= 0 || !p.Hidden.Has(shopadapter.FieldImages) {
			p.equal("list: the number of pictures", o.Images, len(p.p.Pictures()))
		}
		if o.Variants != nil || !p.Hidden.Has(figures) {
			p.equal("list: the number of variants", len(o.Variants), len(p.p.Variants))
			p.asWritten(o, -1)
		}
	},
	"told": func(p *player, _ []string, _ string) { p.told() },
	"tells": func(p *player, _ []string, _ string) {
		if p.told() == shopadapter.NoFields {
			p.skip("nothing tells whether a text was edited: no group is compared")
		}
	},
	"listed": func(p *player, words []string, _ string) {
		o, ok := p.observation(everything)[p.p.ID]
		ok = ok || words[0] == "off" && p.Endpoint != nil // an endpoint may forget what it took out of sale
		if ok != (words[0] == "off") || o.OnSale {
			p.fail("list: %q: got it listed %t, on sale %t", p.p.ID, ok, o.OnSale)
		}
	},
	"relisted": func(p *player, _ []string, _ string) { p.ref = p.watched().Ref },
	// agrees holds a complete list to what the shop shows.
	"agrees": func(p *player, _ []string, _ string) {
		got, want := map[shopadapter.PublicationID]string{}, map[shopadapter.PublicationID]string{}
		for _, s := range p.snapshot() {
			if strings.HasPrefix(string(s.Publication), string(p.id(""))) {
				want[s.Publication] = fmt.Sprintf("listing %s, on sale: %t", s.Listing, s.OnSale)
			}
		}
		for id, l := range p.observation(everything) {
			got[id] = fmt.Sprintf("listing %s, on sale: %t", l.Ref.Listing, l.OnSale)
			if l.OnSale && l.URL == "" && p.Endpoint == nil {
				p.fail("list: got no address of %q, which is on sale", id)
			}
		}
		if diff := difference(want, got); diff != "" {
			p.fail("list: not as it stands in the shop:\n%s", diff)
		}
	},
	// list-ends: a caller may stop early, and a shop that cannot be reached ends a list with one error. An
	// adapter without a transport is not asked.
	"list-ends": func(p *player, _ []string, _ string) {
		for _, err := range p.adapter.List(p.ctx, everything) {
			p.must("list", err)
			break
		}
		if p.NoTransport {
			return
		}
		lift := p.wire.arm(every, unsent)
		defer lift()
		var failed error
		for _, err := range p.adapter.List(p.ctx, everything) {
			if failed != nil {
				p.fail("list: it went on after the error %w", failed)
			}
			failed = err
		}
		if failed == nil {
			p.fail("list: a shop that cannot be reached ended it without an error, so that it looks empty")
		}
	},
	// some asks for the named publications alone, of which those behind the arrow are there.
	"some": func(p *player, words []string, ends string) {
		refs := []shopadapter.Ref{}
		for _, name := range words {
			refs = append(refs, p.named[name].ref)
		}
		found, want := p.observation(shopadapter.Query{Refs: refs}), strings.Fields(ends)
		p.equal("listings", len(found), len(want))
		for _, name := range want {
			p.equal("the listing of "+name, found[p.id(name)].Ref.Listing, p.named[name].l.ID)
		}
	},
	"foreign-unlisted": func(p *player, words []string, _ string) {
		ref := shopadapter.Ref{Publication: p.p.ID, Listing: p.foreign.Listing}
		for _, q := range []shopadapter.Query{everything, {Refs: []shopadapter.Ref{ref}}} {
			for id, o := range p.observation(q) {
				if id != p.named[words[0]].p.ID || o.Ref.Listing == ref.Listing {
					p.fail("list: got %q, listing %s, which is foreign", id, o.Ref.Listing)
				}
			}
		}
	},
	// reduced: of a variant that the merchant reduced the price that was written is observed, or the
	// reduced one beside a former price that is not below it.
	"reduced": func(p *player, words []string, _ string) {
		o, want := p.watched(), p.p.Variants[handled]
		got := p.listed(o, want.ID)
		beside := sameAmount(got.Price, words[0]) && notBelow(got.CompareAt, want.Price)
		if !sameAmount(got.Price, want.Price) && !beside {
			p.fail("list: a variant reduced from %s to %s: got the price %q beside %q, want %s, or it beside %s",
				want.Price, words[0], got.Price, got.CompareAt, want.Price, want.Price)
		}
		p.asWritten(o, handled)
	},
	// priced: a visitor pays what was asked, which is listed, and a publish of what stands changes nothing.
	"priced": func(p *player, _ []string, _ string) {
		is, o := p.info(), p.watched()
		p.shows(shopadapter.FieldPrice)
		for _, v := range p.p.Variants {
			if got := p.listed(o, v.ID).Price; !is.Prices.Alike(got, v.Price) {
				p.fail("list: the price of variant %s: got %s, want one alike %s", v.ID, got, v.Price)
			}
		}
		before := p.snapshot()
		p.publish(shopadapter.FieldPrice)
		p.same("the shop", before, p.snapshot())
	},
}

func checkObservedCost(b *bench) {
	if b.NoTransport {
		b.skip("the adapter makes no requests")
	}
	cost := func(name string, listings int) int {
		for i := range listings {
			b.published(fmt.Sprint(name, i), 2)
		}
		return b.requests(func() { b.observation(everything) })
	}
	cost("none", 0) // what is read once is read here
	const more = 10
	before := cost("few-", 2)
	if got := cost("more-", more) - before; got >= more {
		b.fail("requests for %d listings more: got %d, want fewer", more, got)
	}
}
