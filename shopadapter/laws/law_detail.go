package laws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func detailLaws() []Law {
	return []Law{
		{
			ID: "details-shown", needs: needs(details()), check: checkDetailsShown,
			Sentence: "Brand, EAN and details stand in the shop as the supplier gives them, follow a change, and are " +
				"gone when the supplier gives none.",
		}, {
			ID: "details-filled", needs: needs(details()), check: checkDetailsFilled,
			Sentence: "A listing that was made without brand and details gets them where its fields are empty.",
		}, {
			ID: "merchants-detail", needs: needs(details(), editDetail()), likewise: "details-shown",
			check: checkMerchantsDetail,
			Sentence: "A brand or a detail that the merchant typed stays and is named as kept, while the other " +
				"details follow, until it is reset.",
		}, {
			ID: "details-unknown", needs: needs(details()), likewise: "details-shown", check: checkDetailsUnknown,
			Sentence: "Details that could not be read are left as they were written.",
		},
	}
}

func details() ability {
	a := given("Details", func(h Harness) bool { return len(h.Details) > 0 })
	a.reason = "the harness names no detail that the shop keeps"
	return a
}

func editDetail() ability {
	a := given("EditDetail", func(h Harness) bool { return h.EditDetail != nil })
	a.reason = "the harness cannot edit a detail by hand"
	return a
}

// DetailGroups are the groups of what a [Harness] names in Details.
const DetailGroups = shopadapter.FieldBrand | shopadapter.FieldDetails

// WithDetails is p, copied, with a brand and every detail, in kilograms and centimeters. The n-th
// supplier's change gives all of them other values. What many shops keep once for a product
// (origin, tags, materials) is the same for all variants. No product shares an EAN with another.
func WithDetails(p shopadapter.Product, n int) shopadapter.Product {
	p = clone(p)
	p.Brand = fmt.Sprintf("Brightside %d", n)
	p.Units = shopadapter.Units{Weight: "kg", Length: "cm"}
	for i := range p.Variants {
		v := &p.Variants[i]
		v.EAN = ean(digest(p.ID), n, i)
		v.Details = shopadapter.Details{
			Weight: fmt.Sprintf("%d.%d5", n+1, i), Length: fmt.Sprintf("%d.5", 20+n+i), Width: fmt.Sprint(10 + n + i),
			Height: fmt.Sprint(40 + n + i), Diameter: fmt.Sprint(12 + n), Volume: fmt.Sprintf("0.%d", n+1),
			Origin: []string{"NL", "PT", "DE"}[n%3], LeadTime: []string{"DAYS_3", "DAYS_5"}[n%2],
			Tags: []string{"ECO", fmt.Sprintf("SEASON_%d", n)}, Materials: []string{"STEEL", fmt.Sprintf("LINEN_%d", n)},
			CaseQuantity: fmt.Sprint(6 + n),
		}
	}
	return p
}

// ean is a number with a check digit, from the range that GS1 keeps for use within a company.
func ean(of string, n, i int) string {
	var number uint64
	for _, c := range of {
		number = (number*16 + uint64(strings.IndexRune("0123456789abcdef", c))) % 1_000_000
	}
	digits := fmt.Sprintf("29%06d%02d%02d", number, n%100, i%100)
	sum := 0
	for k, c := range digits {
		weight := 1 + 2*(k%2)
		sum += weight * int(c-'0')
	}
	return digits + fmt.Sprint((10-sum%10)%10)
}

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

// expectDetails is nil when the shop shows each detail that it keeps as p gives it, but for those
// given by, which stay as they are there.
func (b *bench) expectDetails(ctx context.Context, p shopadapter.Product, by map[string]string) error {
	s, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	var differences []string
	for i, v := range p.Variants {
		k := slices.IndexFunc(s.Variants, func(one SeenVariant) bool { return one.ID == v.ID })
		if k < 0 {
			return fmt.Errorf("variant %s is missing", v.ID)
		}
		for _, name := range b.Details {
			got, whole := s.Details[name]
			if !whole {
				got = s.Variants[k].Details[name]
			}
			want, merchants := by[name]
			if !merchants || i > 0 && !whole {
				want = detail(p, i, name)
			}
			if got != want && !sameAmount(got, want) {
				differences = append(differences, fmt.Sprintf("%s of variant %s: got %q, want %q", name, v.ID, got, want))
			}
		}
	}
	if len(differences) > 0 {
		return fmt.Errorf("the listing of %q differs: %s", p.ID, strings.Join(differences, "; "))
	}
	return nil
}

// knowsDetails is an error where the harness names a detail that there is none of.
func (b *bench) knowsDetails() error {
	for _, name := range b.Details {
		if !slices.Contains(detailNames(), name) {
			return fmt.Errorf("the harness names the detail %q: one of %s", name, strings.Join(detailNames(), ", "))
		}
	}
	return nil
}

func checkDetailsShown(ctx context.Context, b *bench) error {
	if err := b.knowsDetails(); err != nil {
		return err
	}
	for _, variants := range []int{1, 3} {
		p := b.sample(b.id(fmt.Sprintf("of-%d", variants)), variants)
		ref := b.ref(p.ID)
		for n, changed := range []shopadapter.Fields{
			shopadapter.AllFields, DetailGroups | shopadapter.FieldVariants, shopadapter.AllFields,
		} {
			var err error
			q := WithDetails(p, n)
			if ref, _, err = b.put(ctx, ref, q, changed); err != nil {
				return err
			}
			if err := errors.Join(b.expectDetails(ctx, q, nil), b.expect(ctx, q)); err != nil {
				return fmt.Errorf("the supplier's values number %d: %w", n+1, err)
			}
		}
		bare := clone(p)
		for i := range bare.Variants {
			bare.Variants[i].EAN = ""
		}
		bare.Units = shopadapter.Units{Weight: "kg", Length: "cm"}
		if _, _, err := b.put(ctx, ref, bare, DetailGroups|shopadapter.FieldVariants); err != nil {
			return err
		}
		if err := errors.Join(b.expectDetails(ctx, bare, nil), b.expect(ctx, bare)); err != nil {
			return fmt.Errorf("the supplier gives none any more: %w", err)
		}
	}
	return nil
}

func checkDetailsFilled(ctx context.Context, b *bench) error {
	if err := b.knowsDetails(); err != nil {
		return err
	}
	p := b.sample(b.id("bare"), 2)
	for i := range p.Variants {
		p.Variants[i].EAN = ""
	}
	ref, _, err := b.put(ctx, b.ref(p.ID), p, shopadapter.AllFields&^DetailGroups)
	if err != nil {
		return err
	}
	p = WithDetails(p, 1)
	if _, _, err := b.put(ctx, ref, p, DetailGroups|shopadapter.FieldVariants); err != nil {
		return err
	}
	return errors.Join(b.expectDetails(ctx, p, nil), b.expect(ctx, p))
}

// checkMerchantsDetail types a detail over one that was written, and into one that was empty.
func checkMerchantsDetail(ctx context.Context, b *bench) error {
	for _, name := range b.Details {
		if slices.Contains(b.Followed, name) {
			continue
		}
		for _, empty := range []bool{false, true} {
			if err := b.checkEditedDetail(ctx, name, empty); err != nil {
				return fmt.Errorf("the merchant's own %s (empty before: %t): %w", name, empty, err)
			}
		}
	}
	return nil
}

func (b *bench) checkEditedDetail(ctx context.Context, name string, empty bool) error {
	given := WithDetails(b.sample(b.id(fmt.Sprintf("%s-%t", name, empty)), 2), 0)
	p := given
	if empty {
		p = b.sample(given.ID, 2)
		for i := range p.Variants {
			p.Variants[i].EAN = ""
		}
	}
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	before, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	k := slices.IndexFunc(before.Variants, func(v SeenVariant) bool { return v.ID == p.Variants[0].ID })
	if k < 0 {
		return fmt.Errorf("variant %s is missing", p.Variants[0].ID)
	}
	if err := b.EditDetail(ctx, ref.Listing, before.Variants[k], name); err != nil {
		return fmt.Errorf("edit: %w", err)
	}
	edited, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	mine, whole := edited.Details[name]
	was := before.Details[name]
	if !whole {
		k = slices.IndexFunc(edited.Variants, func(v SeenVariant) bool { return v.ID == p.Variants[0].ID })
		mine, was = edited.Variants[k].Details[name], before.Variants[k].Details[name]
	}
	if mine == was {
		return errors.New("the harness's EditDetail changed nothing that Observe shows")
	}
	group := groupOf(name)
	for n, restart := range []bool{false, false, true} {
		if restart {
			if err := b.restart(); err != nil {
				return err
			}
			ref = b.ref(p.ID)
		}
		q := WithDetails(given, n+1)
		var listing shopadapter.Listing
		if ref, listing, err = b.put(ctx, ref, q, shopadapter.AllFields); err != nil {
			return err
		}
		if listing.Kept != group {
			return fmt.Errorf("kept: got %s, want %s", listing.Kept, group)
		}
		if err := b.expectDetails(ctx, q, map[string]string{name: mine}); err != nil {
			return err
		}
	}
	q := WithDetails(given, 4)
	ref.Reset = group
	next, listing, err := b.put(ctx, ref, q, shopadapter.AllFields)
	if err != nil {
		return err
	}
	if listing.Kept != 0 {
		return fmt.Errorf("kept after a reset: got %s, want none", listing.Kept)
	}
	if err := b.expectDetails(ctx, q, nil); err != nil {
		return fmt.Errorf("after a reset: %w", err)
	}
	q = WithDetails(given, 5)
	if _, _, err = b.put(ctx, next, q, shopadapter.AllFields); err != nil {
		return err
	}
	return b.expectDetails(ctx, q, nil)
}

// groupOf is the field group of a detail that can be kept for the merchant.
func groupOf(name string) shopadapter.Fields {
	if name == "brand" {
		return shopadapter.FieldBrand
	}
	return shopadapter.FieldDetails
}

func checkDetailsUnknown(ctx context.Context, b *bench) error {
	p := WithDetails(b.sample(b.id("unread"), 2), 1)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	seen, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	q := b.revise(p, 1)
	q.Brand, q.Unknown = "", DetailGroups
	for i := range q.Variants {
		q.Variants[i].Details = shopadapter.Details{}
	}
	if _, _, err = b.put(ctx, ref, q, shopadapter.AllFields&^DetailGroups); err != nil {
		return err
	}
	after, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	if !maps.Equal(after.Details, seen.Details) {
		return fmt.Errorf("details: got %v, want %v", after.Details, seen.Details)
	}
	for i, v := range after.Variants {
		if !maps.Equal(v.Details, seen.Variants[i].Details) {
			return fmt.Errorf("details of variant %s: got %v, want %v", v.ID, v.Details, seen.Variants[i].Details)
		}
	}
	return b.expect(ctx, q)
}
