package laws

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// DetailGroups are the groups of what a [Harness] names in Details.
const DetailGroups = shopadapter.FieldBrand | shopadapter.FieldDetails

// detailed are the groups in which brand, EAN and details are written.
const detailed = DetailGroups | shopadapter.FieldVariants

// detailNames are what Details of a harness may name.
func detailNames() []string {
	return []string{
		"brand", "ean", "weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "tags",
		"materials", "caseQuantity",
	}
}

// detail is what p gives of a detail for its i-th variant.
func detail(p shopadapter.Product, i int, name string) string {
	v := p.Variants[i]
	switch name {
	case "brand":
		return p.Brand
	case "ean":
		return v.EAN
	}
	for _, one := range v.Details.List() {
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
	i := slices.IndexFunc(s.Variants, func(v SeenVariant) bool { return v.ID == id })
	if i < 0 {
		return "", false
	}
	return s.Variants[i].Details[name], false
}

// detailsShown ends the check unless the shop shows each detail that it keeps as the product gives
// it, but for those given by, which are the first variant's.
func (s *subject) detailsShown(by map[string]string) {
	var d differences
	seen := s.seen()
	for i, v := range s.p.Variants {
		for _, name := range s.Details {
			if !slices.Contains(detailNames(), name) {
				s.fail("the harness names the detail %q: one of %s", name, strings.Join(detailNames(), ", "))
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

// give publishes the supplier's details number n.
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
			s.shown()
		}
		b.in("the supplier gives none any more")
		s.p = withoutEANs(b.sample(s.p.ID, variants))
		s.p.Units = WithDetails(s.p, 0).Units
		s.put(detailed)
		s.detailsShown(nil)
		s.shown()
	}
	b.in("made without")
	s := b.subject("bare", 2)
	s.p = withoutEANs(s.p)
	s.put(all &^ DetailGroups)
	s.give(1, detailed)
	s.detailsShown(nil)
	s.shown()
}

func checkMerchantsDetail(b *bench) {
	for _, name := range b.Details {
		if slices.Contains(b.Followed, name) {
			continue
		}
		for _, empty := range []bool{false, true} {
			b.in("the merchant's own %s (empty before: %t)", name, empty)
			b.checkEditedDetail(name, empty)
		}
	}
}

func (b *bench) checkEditedDetail(name string, empty bool) {
	s := b.subject(fmt.Sprintf("%s-%t", name, empty), 2)
	if s.p = withoutEANs(s.p); !empty {
		s.p = WithDetails(s.p, 0)
	}
	s.put(all)
	first := s.p.Variants[0].ID
	before := s.seen()
	i := slices.IndexFunc(before.Variants, func(v SeenVariant) bool { return v.ID == first })
	if i < 0 {
		b.fail("variant %s is missing", first)
	}
	b.must("edit", b.EditDetail(b.ctx, s.l.ID, before.Variants[i], name))
	was, _ := before.detail(first, name)
	mine, _ := s.seen().detail(first, name)
	if mine == was {
		b.fail("the harness's EditDetail changed nothing that Observe shows")
	}
	group := shopadapter.FieldDetails
	if name == "brand" {
		group = shopadapter.FieldBrand
	}
	for n := range 6 {
		kept, by := group, map[string]string{name: mine}
		switch n {
		case 2:
			s.forget()
		case 3: // given back
			s.ref.Reset = group
			kept, by = 0, nil
		case 4, 5: // whose it then stays
			kept, by = 0, nil
		}
		s.give(n+1, all)
		b.equal(fmt.Sprintf("kept of the change number %d", n+1), s.l.Kept, kept)
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
	s.shown()
}

func checkDetailLostAnswer(b *bench) {
	give := func(s *subject, n int) { s.p = WithDetails(s.p, n) }
	b.lostOn(2, give, func(s *subject) { s.detailsShown(nil) })
}
