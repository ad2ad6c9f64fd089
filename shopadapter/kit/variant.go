package kit

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// Refused is Listing.Refused: why the shop refuses a variant, by id.
type Refused map[string]string

// None returns the error of a product without a variant left; it is never nil.
func (r Refused) None(p shopadapter.Product) error {
	for _, v := range p.Variants {
		if why := r[v.ID]; why != "" {
			return shopadapter.Reject("no variant can be sold: %s", why)
		}
	}
	return shopadapter.Reject("the product has no variant")
}

// Rejected reports whether the shop refuses the content, and would again.
func Rejected(err error) bool {
	e, said := errors.AsType[*shopadapter.Error](err)
	return said && e.Kind == shopadapter.Rejected
}

// Alone sends changes in one request. If that is rejected, each goes alone, so that none holds up the others. lighten
// drops what a rejected one can do without, and reports whether to send it again. refused gets those still rejected.
func Alone[T any](
	changes []T, send func([]T) error, lighten func(T, error) bool, refused func(i int, why error),
) error {
	whole := send(changes)
	if !Rejected(whole) {
		return whole
	}
	for i := range changes {
		one, err := changes[i:i+1], whole
		if len(changes) > 1 {
			err = send(one)
		}
		if Rejected(err) && lighten(one[0], err) {
			err = send(one)
		}
		if Rejected(err) {
			refused(i, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// A Planned is a variant that the shop can sell, with a value for each option.
type Planned struct {
	shopadapter.Variant
	Place  int // index in Product.Variants
	Values []string
}

// Fit returns the variants that offer gives no reason against, with values unlike those before. It refuses the
// others.
func Fit(
	p shopadapter.Product, refused Refused, offer func(shopadapter.Variant) (values []string, why string),
) (list []Planned) {
	first := map[string]string{} // by their values
	for i, v := range p.Variants {
		values, why := offer(v)
		choice := strings.Join(values, "\x00")
		other, same := first[choice]
		switch {
		case why != "":
			refused[v.ID] = why
		case same:
			refused[v.ID] = "it has the same options as the variant " + other
		default:
			first[choice] = cmp.Or(v.Title, v.ID)
			list = append(list, Planned{v, i, values})
		}
	}
	return list
}

// Chosen returns a variant's values for these options in order, or why it cannot be sold.
func Chosen(v shopadapter.Variant, names []string) (values []string, why string) {
	for _, name := range names {
		i := slices.IndexFunc(v.Options, func(o shopadapter.Option) bool { return o.Name == name })
		if i < 0 || strings.TrimSpace(v.Options[i].Value) == "" {
			return nil, "it has no value for the option " + name
		}
		values = append(values, strings.TrimSpace(v.Options[i].Value))
	}
	return values, ""
}

// Choices returns these options with the planned variants' values.
func Choices(names []string, list []Planned) []Axis {
	all := Each(names, func(name string) Axis { return Axis{Name: name} })
	for i := range all {
		seen := map[string]bool{}
		for _, v := range list {
			if value := v.Values[i]; !seen[value] {
				seen[value] = true
				all[i].Values = append(all[i].Values, value)
			}
		}
	}
	return all
}

// A Wanted is a planned variant beside what the shop holds of it.
type Wanted[H any] struct {
	Planned
	Held *H // nil: not made yet
}

// Match gives each planned variant the first in the shop that has its key and fits. surplus are our other ones. key
// returns the variant's id, plain or as Key writes it, "" for the merchant's.
func Match[H any](
	list []Planned, held []H, key func(*H) string, fits func(*H, Planned) bool,
) (wanted []Wanted[H], surplus []*H) {
	place := make(map[string]int, len(list))
	for i, v := range slices.Backward(list) { // of two the first counts
		place[Key(v.ID)], place[v.ID] = i, i
	}
	wanted = Each(list, func(p Planned) Wanted[H] { return Wanted[H]{Planned: p} })
	for i := range held {
		mark := key(&held[i])
		j, planned := place[mark]
		switch {
		case mark == "":
		case !planned || wanted[j].Held != nil || !fits(&held[i], list[j]):
			surplus = append(surplus, &held[i])
		default:
			wanted[j].Held = &held[i]
		}
	}
	return wanted, surplus
}

// A Candidate is a product that carries the publication's note.
type Candidate struct {
	ID       string
	Complete bool // once, by its note
	// It is out of sale, was never complete, and no person has edited it since its note was written.
	Untouched bool
}

// Pick returns the index of the product to go on with, or -1: one that was complete, else the one that the caller
// knows, else the first. strays are drafts of late creations: the shop finished a call after its caller had tried
// again.
func Pick(ref shopadapter.Ref, found []Candidate) (own int, strays []string) {
	own = -1
	for i, c := range found {
		better := own >= 0 && !found[own].Complete &&
			(c.Complete || c.ID == string(ref.Listing) && found[own].ID != string(ref.Listing))
		if own < 0 || better {
			own = i
		}
	}
	for i, c := range found {
		if i != own && c.Untouched && !c.Complete {
			strays = append(strays, c.ID)
		}
	}
	return own, strays
}

// Made returns the variants that the shop has, for Listing.Variants.
func Made[H any](list []Wanted[H], id func(*H) string) []shopadapter.ListedVariant {
	all := []shopadapter.ListedVariant{}
	for _, v := range list {
		if v.Held != nil {
			all = append(all, shopadapter.ListedVariant{ID: v.ID, ShopID: id(v.Held)})
		}
	}
	return all
}

// Unmade reports whether the shop still lacks a variant.
func Unmade[H any](list []Wanted[H]) bool {
	return slices.ContainsFunc(list, func(v Wanted[H]) bool { return v.Held == nil })
}

// Cleared is the error of a listing whose mark somebody deleted.
func Cleared(product string, id shopadapter.PublicationID) error {
	return shopadapter.Block("product %s is its listing, and the mark of pubsync was deleted from it, so it is left as "+
		"it is: `pubsync retry %s` takes it back", product, id)
}

// Each applies one to each element. It never returns nil, which JSON writes as null.
func Each[A, B any](list []A, one func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = one(a)
	}
	return out
}
