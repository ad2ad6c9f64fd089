package laws

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// detailNames are what Details of a harness may name.
var detailNames = []string{
	"brand", "ean", "weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "tags",
	"materials", "caseQuantity",
}

// detail is what p gives of a detail for its i-th variant.
func detail(p shopadapter.Product, i int, name string) string {
	v := p.Variants[i]
	for _, one := range append(v.Details.List(), shopadapter.Detail{Name: "brand", Value: p.Brand},
		shopadapter.Detail{Name: "ean", Value: v.EAN}) {
		if one.Name == name {
			return one.Value
		}
	}
	return ""
}

// detail is what the shop shows of a detail of a variant, and whether it keeps it once for the
// product.
func (s Seen) detail(id, name string) (value string, whole bool) {
	if value, whole = s.Details[name]; whole {
		return value, true
	}
	if i := s.variant(id); i >= 0 {
		value = s.Variants[i].Details[name]
	}
	return value, false
}

// detailsShown ends the check unless the shop shows each detail that it keeps as the product gives
// it, but for those given by, which are the first variant's.
func (s *subject) detailsShown(by map[string]string) {
	var d differences
	seen := s.seen()
	for i, v := range s.p.Variants {
		for _, name := range s.Details {
			if !slices.Contains(detailNames, name) {
				s.fail("the harness names the detail %q: one of %s", name, strings.Join(detailNames, ", "))
			}
			got, whole := seen.detail(v.ID, name)
			want, merchants := by[name]
			if !merchants || i > 0 && !whole {
				want = detail(s.p, i, name)
			}
			if got != want && !sameAmount(got, want) {
				d.add(name+" of variant "+v.ID, got, want)
			}
		}
	}
	s.must("details", d.of("the listing", s.p.ID))
}

// give puts the supplier's details number n.
func (s *subject) give(n int, changed shopadapter.Fields) {
	s.p = WithDetails(s.p, n)
	s.put(changed)
}

func checkDetailsShown(b *bench) {
	for _, variants := range []int{1, 3} {
		s := b.subject(fmt.Sprintf("of-%d", variants), variants)
		for n, changed := range []shopadapter.Fields{all, detailed, all} {
			b.in("the supplier's values number %d", n+1)
			s.give(n, changed)
			s.detailsShown(nil)
		}
		b.in("the supplier gives none any more")
		s.p = withoutEANs(b.sample(s.p.ID, variants))
		s.p.Units = WithDetails(s.p, 0).Units
		s.put(detailed)
		s.detailsShown(nil)
	}
	b.in("made without")
	s := b.subject("bare", 2)
	s.p = withoutEANs(s.p)
	s.publish(all &^ DetailGroups)
	s.give(1, detailed)
	s.detailsShown(nil)
}

func checkMerchantsDetail(b *bench) {
	for _, name := range b.Details {
		for _, empty := range []bool{false, true} {
			if !slices.Contains(b.Followed, name) {
				b.in("the merchant's own %s (empty before: %t)", name, empty)
				b.checkEditedDetail(name, empty)
			}
		}
	}
}

func (b *bench) checkEditedDetail(name string, empty bool) {
	s := b.subject(fmt.Sprintf("%s-%t", name, empty), 2)
	if s.p = withoutEANs(s.p); !empty {
		s.p = WithDetails(s.p, 0)
	}
	s.publish(all)
	first := s.p.Variants[0].ID
	before := s.seen()
	b.byHand(b.EditDetail(b.ctx, s.l.ID, s.variant(0), name))
	was, _ := before.detail(first, name)
	mine, _ := s.seen().detail(first, name)
	if mine == was {
		b.fail("the harness's EditDetail changed nothing that Observe shows")
	}
	group := shopadapter.FieldDetails
	if name == "brand" {
		group = shopadapter.FieldBrand
	}
	const lost, reset = 2, 3 // when the hints are lost, and when it is given back, whose it then stays
	s.mine = map[shopadapter.Fields]string{group: ""}
	by := map[string]string{name: mine}
	for n := range 6 {
		if n == lost {
			s.forget()
		} else if n == reset {
			s.giveBack()
			by = nil
		}
		s.p = WithDetails(s.p, n+1)
		s.publish(all)
		s.detailsShown(by)
	}
}

func checkDetailsUnknown(b *bench) {
	s := b.subject("unread", 2)
	s.give(1, all)
	before := s.seen()
	s.p = b.revise(s.p, 1)
	s.p.Brand, s.p.Unknown = "", DetailGroups
	for i := range s.p.Variants {
		s.p.Variants[i].Details = shopadapter.Details{}
	}
	s.put(all &^ DetailGroups)
	after := s.seen()
	same := maps.Equal(after.Details, before.Details) && len(after.Variants) == len(before.Variants)
	for i, v := range after.Variants {
		same = same && maps.Equal(v.Details, before.Variants[i].Details)
	}
	if !same {
		b.fail("details that could not be read:\n%s", difference(before, after))
	}
}
