package kit

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// Refused is why each refused variant is, by the variant's id: a Listing's Refused.
type Refused map[string]string

// None is the error of a product of which no variant is left, and never nil: it is called where that is so.
func (r Refused) None(p shopadapter.Product) error {
	for _, v := range p.Variants {
		if why := r[v.ID]; why != "" {
			return shopadapter.Reject("no variant can be sold: %s", why)
		}
	}
	return shopadapter.Reject("the product has no variant")
}

// Rejected reports whether the shop refuses what it was given, so that the same is refused again.
func Rejected(err error) bool {
	e, said := errors.AsType[*shopadapter.Error](err)
	return said && e.Kind == shopadapter.Rejected
}

// Alone sends the changes of variants in one request. Where that is rejected each is sent alone, so that
// the others are not held up. Of one that is rejected alone lighten takes off what it can do without, and
// reports whether there is anything; then it is sent once more. refused is told of those that stay rejected.
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

// A Planned is a variant that the shop can sell, with its value for each of the product's options.
type Planned struct {
	shopadapter.Variant
	Place  int // among the product's variants
	Values []string
}

// Fit picks the variants that the shop can sell: those to which offer gives no reason against it,
// and which differ from those before them in a value. The others are refused. offer is asked for
// each variant, in their order.
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

// Chosen are what a variant has for the options of these names, in their order, or why it cannot be
// sold.
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

// Choices are the options of these names, with what the planned variants have of them.
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

// Match gives each planned variant what the shop holds of it: the first with its key that fits.
// surplus are our other ones: wanted no longer, there twice, or unfit. key is the id of the variant
// that one in the shop is, as it is or as Key writes it; "" for one of the merchant's.
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

// A Candidate is what Pick has to know of a product that carries the publication's note.
type Candidate struct {
	ID       string
	Complete bool // the note says that the product was complete once
	// it is out of sale, was never complete, and is as its note says: nobody has worked on it
	Untouched bool
}

// Pick chooses among the products that carry one publication's note: the index of the one to go on
// with, -1 for none. There is one, as a rule. Of several it is one that was complete, then the one
// that the caller knows, then the first. strays are the others that only a late creation can have
// made: a shop that worked on a call after its caller had given up, and the caller's next try,
// leave one each.
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

// Made is the variants that the shop has, for Listing.Variants. id is the shop's own of one.
func Made[H any](list []Wanted[H], id func(*H) string) []shopadapter.ListedVariant {
	all := []shopadapter.ListedVariant{}
	for _, v := range list {
		if v.Held != nil {
			all = append(all, shopadapter.ListedVariant{ID: v.ID, ShopID: id(v.Held)})
		}
	}
	return all
}

// Unmade reports whether the shop has still to make one of the variants.
func Unmade[H any](list []Wanted[H]) bool {
	return slices.ContainsFunc(list, func(v Wanted[H]) bool { return v.Held == nil })
}

// Lacks is the pictures that were written and that the product no longer shows, where it shows the
// others in their order. There are none for any other list: somebody has added to it, or moved what
// it holds.
func Lacks(written, shown []string) (gone []string) {
	for _, id := range written {
		if len(shown) > 0 && shown[0] == id {
			shown = shown[1:]
		} else {
			gone = append(gone, id)
		}
	}
	if len(shown) > 0 {
		return nil
	}
	return gone
}

// Cleared is the error of a product that is a publication's listing and from which somebody deleted
// the mark of it. It stays as it is until a person asks for it.
func Cleared(product string, id shopadapter.PublicationID) error {
	return shopadapter.Block("product %s is its listing, and the mark of pubsync was deleted from it, so it is left as "+
		"it is: `pubsync retry %s` takes it back", product, id)
}

// Each is what one gives for each element of a list, in its order. It is never nil: in JSON it is a
// list, though an empty one.
func Each[A, B any](list []A, one func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = one(a)
	}
	return out
}
