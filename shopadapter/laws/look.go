package laws

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

var ofShop = map[string]verb{
	"shown":     func(p *player) { p.shows(fields(p.words)) },
	"one":       func(p *player) { p.seen() },
	"gone":      func(p *player) { p.isGone(removal(p.words[0])) },
	"off-sale":  func(p *player) { p.isGone(shopadapter.TakeOffline) },
	"none":      func(p *player) { p.isGone(shopadapter.Delete) },
	"unchanged": func(p *player) { p.same("the shop", p.shop, p.snapshot()) },
	"untouched": func(p *player) { p.same("the foreign product", p.foreign, p.held(p.foreign.Listing)) },
	"same": func(p *player) {
		p.equal("the address", p.l.URL, p.before.l.URL)
		p.equal("the ids of the variants", p.l.ShopIDs(), p.before.l.ShopIDs())
		p.same("the shop", p.shop, p.snapshot())
	},
	"ids": func(p *player) {
		for _, v := range p.seen().Variants {
			p.equal("the shop's id that publish returned for variant "+v.ID, p.l.ShopIDs()[v.ID], v.ShopID)
		}
	},
	"same-ids": func(p *player) { // of variants still there; with a word not of the one changed by hand
		for id, is := range p.l.ShopIDs() {
			was, there := p.before.l.ShopIDs()[id]
			if there && !(len(p.words) > 0 && id == p.p.Variants[handled].ID) {
				p.equal("the shop's id of variant "+id, is, was)
			}
		}
	},
	"called-draft": func(p *player) { p.equal("the listing is called a draft", p.l.Draft, p.words[0] == "yes") },
	"uploaded":     func(p *player) { p.uploaded(p.words[0]) },
	"spoken": func(p *player) {
		for _, language := range p.Languages {
			got, want := p.seen().Translations[language], p.p.Translations[language]
			p.equal("the title in "+language, plain(got.Title), plain(want.Title))
			p.equal("the description in "+language, plain(got.Description), plain(want.Description))
		}
	},
	"detailed": (*player).detailed,
	"visit":    (*player).visit,
	// follow publishes after the merchant renamed something: each choice leads to its variant, or is blocked and stays.
	"follow": func(p *player) {
		now := p.p
		err := p.try(structure)
		if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Blocked {
			p.p, p.over = clone(p.before.p), true
			for i := range p.p.Variants { // prices and stock may have been written
				p.p.Variants[i].Price, p.p.Variants[i].Quantity = now.Variants[i].Price, now.Variants[i].Quantity
			}
		} else {
			p.must("publish", err)
		}
		p.visit()
	},
}

func (p *player) uploaded(word string) {
	if p.Uploads != nil {
		p.equal("uploads in all", p.Uploads()-p.uploads, number(word))
	}
}

// watch looks until mend, around each request or step, for an incomplete product on sale.
func (p *player) watch() {
	var mu sync.Mutex
	var looks int
	var broken error
	look := func() {
		err := caught(func() {
			for _, seen := range p.all(p.p.ID) {
				if seen.OnSale {
					p.compare(seen, p.p, all)
				}
			}
		})
		mu.Lock()
		defer mu.Unlock()
		looks, broken = looks+1, cmp.Or(broken, err)
	}
	lift := p.wire.arm(every, func(req *http.Request, next http.RoundTripper) (*http.Response, error) {
		look()
		defer look()
		return next.RoundTrip(req)
	})
	p.spoil(func() {
		lift()
		p.that(looks > 0, "no request was seen: does every request pass the transport that Open was given?")
		look()
		p.must("on sale while it was not complete", broken)
	})
}

var everything shopadapter.Query

func (b *bench) observation(q shopadapter.Query) map[shopadapter.PublicationID]shopadapter.Listed {
	all := map[shopadapter.PublicationID]shopadapter.Listed{}
	for one, err := range b.adapter.List(b.ctx, q) {
		id := one.Ref.Publication
		_, twice := all[id]
		switch {
		case errors.Is(err, shopadapter.ErrNoList):
			b.unless(false, "the shop does not list what stands in it: nothing tells what somebody changed there")
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

func (s *subject) watched() shopadapter.Listed {
	o, ok := s.observation(everything)[s.p.ID]
	s.that(ok, "list: got nothing of %q, want its listing", s.p.ID)
	return o
}

func (s *subject) listed(o shopadapter.Listed, id string) shopadapter.ListedVariant {
	made := s.l.ShopIDs()[id]
	found := slices.DeleteFunc(slices.Clone(o.Variants), func(v shopadapter.ListedVariant) bool {
		return v.ID != id && (v.ShopID != made || made == "")
	})
	s.that(len(found) == 1, "list: variants of %q with the id %s, or %s: got %d, want 1", s.p.ID, made, id, len(found))
	return found[0]
}

// asWritten ends the check unless the list has the variants as written, but for one, on sale unless switched off.
func (s *subject) asWritten(o shopadapter.Listed, but int) {
	for i, v := range s.p.Variants {
		got, off := s.listed(o, v.ID), s.off && i == handled
		if i != but && !off {
			s.compareVariant(SeenVariant{
				SKU: got.SKU, Options: optionMap(v.Options), Price: got.Price, Quantity: got.Quantity, Backorders: got.Backorders,
			}, v, structure&^s.Hidden)
		}
		s.equal("list: on sale of variant "+v.ID, got.OnSale, !off)
		counted := !got.Uncounted || off || s.Hidden.Has(shopadapter.FieldStock)
		s.that(counted, "list: variant %s is sold without counting", v.ID)
	}
}

// told ends the check unless exactly the edited texts are listed as edited. It returns those compared.
func (s *subject) told() (compared shopadapter.Fields) {
	o := s.watched()
	extra := o.Compared&^shopadapter.TextFields | o.Edited&^o.Compared
	s.that(extra == 0, "list: %q: got %s compared that are no texts, or edited that were not compared", s.p.ID, extra)
	s.equal(fmt.Sprintf("list: edited texts of %q", s.p.ID), o.Edited, s.edited&o.Compared)
	return o.Compared
}

var ofList = map[string]verb{
	"observed": func(p *player) {
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
	"told": func(p *player) { p.told() },
	"tells": func(p *player) {
		p.unless(p.told() != 0, "nothing tells whether a text was edited: no group is compared")
	},
	"relisted": func(p *player) { p.ref = p.watched().Ref },
	"agrees": func(p *player) {
		got, want := map[shopadapter.PublicationID]string{}, map[shopadapter.PublicationID]string{}
		for _, s := range p.snapshot() {
			if strings.HasPrefix(string(s.Publication), string(p.id(""))) {
				want[s.Publication] = fmt.Sprintf("listing %s, on sale: %t", s.Listing, s.OnSale)
			}
		}
		for id, l := range p.observation(everything) {
			got[id] = fmt.Sprintf("listing %s, on sale: %t", l.Ref.Listing, l.OnSale)
			unaddressed := l.OnSale && l.URL == "" && p.Endpoint == nil
			p.that(!unaddressed, "list: got no address of %q, which is on sale", id)
		}
		p.same("list: not as it stands in the shop: it", want, got)
	},
	// list-ends: a caller may stop early, and an unreachable shop ends a list with one error.
	"list-ends": func(p *player) {
		for _, err := range p.adapter.List(p.ctx, everything) {
			p.must("list", err)
			break
		}
		if p.NoTransport {
			return
		}
		defer p.wire.arm(every, unsent)()
		var failed error
		for _, err := range p.adapter.List(p.ctx, everything) {
			p.that(failed == nil, "list: it went on after the error %v", failed)
			failed = err
		}
		p.that(failed != nil, "list: a shop that cannot be reached ended it without an error, so that it looks empty")
	},
	// some lists the named publications; those behind the arrow are there.
	"some": func(p *player) {
		refs := []shopadapter.Ref{}
		for _, name := range p.words {
			refs = append(refs, p.named[name].ref)
		}
		found, want := p.observation(shopadapter.Query{Refs: refs}), strings.Fields(p.ends)
		p.equal("listings", len(found), len(want))
		for _, name := range want {
			p.equal("the listing of "+name, found[p.id(name)].Ref.Listing, p.named[name].l.ID)
		}
	},
	// reduced: the list shows a reduced variant's written price, or the reduced one beside a former one not below it.
	"reduced": func(p *player) {
		o, want, reduced := p.watched(), p.p.Variants[handled], p.words[0]
		got := p.listed(o, want.ID)
		beside := sameAmount(got.Price, reduced) && notBelow(got.CompareAt, want.Price)
		p.that(beside || sameAmount(got.Price, want.Price),
			"list: a variant reduced from %s to %s: got the price %q beside %q", want.Price, reduced, got.Price, got.CompareAt)
		p.asWritten(o, handled)
	},
	// priced: a visitor pays the price asked, the list shows it, and publishing again changes nothing.
	"priced": func(p *player) {
		is, o := p.info(), p.watched()
		p.shows(shopadapter.FieldPrice)
		for _, v := range p.p.Variants {
			got := p.listed(o, v.ID).Price
			alike := is.Prices.Alike(got, v.Price)
			p.that(alike, "list: the price of variant %s: got %s, want one alike %s", v.ID, got, v.Price)
		}
		before := p.snapshot()
		p.publish(shopadapter.FieldPrice)
		p.same("the shop", before, p.snapshot())
	},
}
