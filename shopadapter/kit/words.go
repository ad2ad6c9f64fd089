package kit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// An Axis is one thing to choose by: an option of a product, with its values.
type Axis struct {
	ID     string // the shop's, for an axis that several products share; "" for one that goes by its name
	Name   string
	Values []string
}

// A Known is what the last complete write left of one of the supplier's axes. The note keeps it.
type Known struct {
	Name   string            `json:"n"`           // the supplier's
	ID     string            `json:"i,omitempty"` // the shop's
	Shown  string            `json:"s,omitempty"` // the shop's name
	Values map[string]string `json:"v,omitempty"` // the supplier's value -> the shop's
}

// word is the shop's for one of the supplier's values, "" for one that was not written.
func (k *Known) word(value string) string {
	if k == nil {
		return ""
	}
	return k.Values[value]
}

func (k *Known) is(a Axis) bool {
	return k != nil && k.ID == a.ID && (k.ID != "" || k.Shown == a.Name)
}

// A Carried is what a variant of the shop carries of the axes that the product offers, in their
// order, "" for none. Wants is what it is to carry of the supplier's, in theirs; nil for one of the
// merchant's own.
type Carried struct {
	Wants []string
	Has   []string
}

// A Word is one of the supplier's axes as the shop is to have it.
type Word struct {
	ID    string
	Name  string
	To    map[string]string // the supplier's value -> the shop's
	Extra []string          // values of the merchant's own variants
	New   []string          // values that the shop does not offer yet
	Order []string          // the shop's, of what it offers
}

// Follow finds each of the supplier's axes, and each of its values, among what the product offers:
// under the word of the last write, under the supplier's own, or under the one that the variants of
// it carry. known is nil where the last write is not remembered. What cannot be told for certain is
// an error that says what is unclear; nothing is guessed.
func Follow(want []Axis, known []Known, offered []Axis, carried []Carried) (words []Word, err error) {
	at, err := matchAxes(want, known, offered)
	if err != nil {
		return nil, err
	}
	words = Supplied(want)
	for i, a := range want {
		if words[i].New = a.Values; at[i] < 0 {
			continue
		}
		f := following{i: i, n: at[i], was: knownAs(known, a.Name), remembered: known != nil, carried: carried}
		if words[i], err = f.follow(a, offered[at[i]]); err != nil {
			return nil, err
		}
	}
	return words, nil
}

func knownAs(known []Known, name string) *Known {
	if n := slices.IndexFunc(known, func(k Known) bool { return k.Name == name }); n >= 0 {
		return &known[n]
	}
	return nil
}

// Supplied is what the supplier's axes are in a shop that calls them as the supplier does.
func Supplied(want []Axis) []Word {
	return Each(want, func(a Axis) Word {
		w := Word{Name: a.Name, To: map[string]string{}}
		for _, value := range a.Values {
			w.To[value] = value
		}
		return w
	})
}

// Retell puts the values of planned variants in the words of the shop, and returns the options in them.
func Retell(list []Planned, words []Word) []Axis {
	for i := range list {
		list[i].Values = slices.Clone(list[i].Values)
		for n, word := range words {
			list[i].Values[n] = word.To[list[i].Values[n]]
		}
	}
	return Choices(Each(words, func(word Word) string { return word.Name }), list)
}

// Carries is what one of the shop's variants carries: none where it is wanted no longer. mark is the id
// of the variant that it is, as it is or as Key writes it; "" for one of the merchant's.
func Carries(list []Planned, mark string, has []string) []Carried {
	if mark == "" {
		return []Carried{{Has: has}}
	}
	i := slices.IndexFunc(list, func(p Planned) bool { return p.ID == mark || Key(p.ID) == mark })
	if i < 0 {
		return nil
	}
	return []Carried{{Wants: list[i].Values, Has: has}}
}

// Unfollowed is the error of a product whose options Follow cannot tell. It says what the merchant has to
// do about them.
func Unfollowed(product string, why error, want []Axis, clean func(string) string) error {
	all := Each(want, func(a Axis) string { return a.Name + ": " + strings.Join(a.Values, ", ") })
	return shopadapter.Block("the options of product %s were changed in the shop and cannot be followed: %s. They "+
		"stay as they are. Give the product one option for each of the supplier's (%s), under its name or with one of its "+
		"values, and each of its variants a value of its own, then retry", product, clean(why.Error()),
		clean(strings.Join(all, "; ")))
}

// Remember is what a write that has ended well leaves for the next Follow.
func Remember(want []Axis, words []Word) []Known {
	all := make([]Known, len(want))
	for i, w := range words {
		all[i] = Known{want[i].Name, w.ID, w.Name, w.To}
	}
	return all
}

// Offer is the values of an axis to be offered, of the shop's words: those given, in the supplier's
// order, and the merchant's own. An order that the merchant has changed stays.
func (w Word) Offer(values []string) []string {
	kept, fresh := among(w.Order, values, true), among(values, w.Order, false)
	if slices.Equal(kept, among(values, kept, true)) {
		return slices.Concat(values, w.Extra)
	}
	return slices.Concat(kept, fresh, w.Extra)
}

// among is those of a list that are in another, or those that are not.
func among(list, other []string, in bool) []string {
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return slices.Contains(other, one) != in })
}

// matchAxes finds the place of each of the supplier's axes among those offered, -1 for a new one.
func matchAxes(want []Axis, known []Known, offered []Axis) ([]int, error) {
	at := slices.Repeat([]int{-1}, len(want))
	for _, is := range []func(a, o Axis) bool{
		func(a, o Axis) bool { return knownAs(known, a.Name).is(o) },
		func(a, o Axis) bool { return o.Name == a.Name },
		func(a, o Axis) bool { return strings.EqualFold(o.Name, a.Name) },
	} {
		for i, a := range want {
			for n, o := range offered {
				if at[i] < 0 && !slices.Contains(at, n) && is(a, o) {
					at[i] = n
				}
			}
		}
	}
	var spare []int // nobody's yet; one that the supplier had, and has no longer, goes
	for n, o := range offered {
		if !slices.Contains(at, n) && !slices.ContainsFunc(known, func(k Known) bool { return k.is(o) }) {
			spare = append(spare, n)
		}
	}
	for i, a := range want {
		was := knownAs(known, a.Name)
		if at[i] >= 0 || was == nil && (known != nil || len(spare) == 0) { // found, or new
			continue
		}
		if len(spare) == 0 {
			return nil, fmt.Errorf("it no longer offers «%s» to choose by", was.Shown)
		}
		// One of several is the one that has kept a value.
		fits := slices.DeleteFunc(slices.Clone(spare), func(n int) bool {
			return len(spare) > 1 && len(among(a.Values, offered[n].Values, true)) == 0
		})
		if len(fits) != 1 {
			return nil, fmt.Errorf("which of its choices (%s) stands for the supplier's «%s» cannot be told",
				names(offered), a.Name)
		}
		at[i] = fits[0]
		spare = slices.DeleteFunc(spare, func(n int) bool { return n == at[i] })
	}
	if len(spare) > 0 {
		return nil, fmt.Errorf("it offers «%s» to choose by, which is none of the supplier's choices (%s)",
			offered[spare[0]].Name, names(want))
	}
	return at, nil
}

// following is one of the supplier's axes, its i-th, beside the one that the shop offers, its n-th.
type following struct {
	i, n       int
	was        *Known // nil: nothing is known of it
	remembered bool   // the last write is remembered
	carried    []Carried
	free       []string // offered, and nobody's yet
}

func (f *following) follow(want, offer Axis) (Word, error) {
	word := Word{ID: offer.ID, Name: offer.Name, To: map[string]string{}, Order: slices.Clone(offer.Values)}
	f.free = slices.Clone(offer.Values)
	take := func(value, shown string) {
		word.To[value], f.free = shown, among(f.free, []string{shown}, false)
	}
	for _, called := range []func(value string) string{f.was.word, func(value string) string { return value }} {
		for _, value := range want.Values {
			if shown := called(value); word.To[value] == "" && slices.Contains(f.free, shown) {
				take(value, shown)
			}
		}
	}
	var gone []string // words of values that were written once: they are no other's new word
	if f.was != nil {
		for value := range f.was.Values {
			gone = append(gone, f.was.word(value))
		}
	}
	f.free = among(f.free, gone, false)
	word.Extra = slices.DeleteFunc(slices.Clone(f.free), func(shown string) bool {
		return !f.carry(shown, true) || f.carry(shown, false)
	})
	f.free = among(f.free, word.Extra, false)
	left, by := f.free, map[string]string{} // left is for each: two that have one word are told apart by nothing
	for _, value := range want.Values {
		if word.To[value] == "" {
			shown, err := f.renamed(value, left, offer.Name)
			if err != nil {
				return Word{}, err
			}
			if !slices.Contains(offer.Values, shown) {
				word.New = append(word.New, shown)
			}
			take(value, shown)
		}
		shown := word.To[value]
		if other, twice := by[shown]; twice {
			return Word{}, fmt.Errorf("its «%s» has one value «%s» for the supplier's «%s» and «%s»", offer.Name, shown, other,
				value)
		}
		by[shown] = value
	}
	return word, nil
}

// carry reports whether a variant of the merchant's own, or one of ours, carries a word.
func (f *following) carry(word string, own bool) bool {
	return slices.ContainsFunc(f.carried, func(c Carried) bool { return c.Has[f.n] == word && (c.Wants == nil) == own })
}

// renamed is the shop's word for a value that it does not offer under the last one: the one that
// the variants of it carry, among those that are free. A value that the shop has no variant of is
// new.
func (f *following) renamed(value string, free []string, axis string) (string, error) {
	last := f.was.word(value)
	if written := last != "" || f.was == nil && !f.remembered; len(free) == 0 || !written {
		return cmp.Or(last, value), nil
	}
	last = cmp.Or(last, value)
	var words []string
	there, kept := false, true
	for _, c := range f.carried {
		if c.Wants == nil || c.Wants[f.i] != value {
			continue
		}
		has := c.Has[f.n]
		there, kept = true, kept && has == value
		if slices.Contains(free, has) && !slices.Contains(words, has) {
			words = append(words, has)
		}
	}
	switch {
	case len(words) == 1:
		return words[0], nil
	case !there, kept && f.was == nil:
		return last, nil
	case len(words) > 1:
		return "", fmt.Errorf("the supplier's «%s» is %s there", value, quoted(words, " and "))
	}
	return "", fmt.Errorf("its «%s» no longer has the value «%s», and which of %s stands for it cannot be told", axis,
		last, quoted(free, ", "))
}

func names(list []Axis) string {
	return strings.Join(Each(list, func(a Axis) string { return a.Name }), ", ")
}

func quoted(list []string, between string) string {
	return "«" + strings.Join(list, "»"+between+"«") + "»"
}
