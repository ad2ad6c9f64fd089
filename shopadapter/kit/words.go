package kit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// An Axis is an option of a product, with its values.
type Axis struct {
	ID     string // the shop's id of a shared axis; "" for one that goes by its name
	Name   string
	Values []string
}

// A Known is what the last complete write left of a supplier's axis; the note keeps it.
type Known struct {
	Name   string            `json:"n"` // the supplier's
	ID     string            `json:"i,omitempty"`
	Shown  string            `json:"s,omitempty"` // the shop's name
	Values map[string]string `json:"v,omitempty"` // the supplier's value -> the shop's
}

func (k *Known) word(value string) string {
	if k == nil {
		return ""
	}
	return k.Values[value]
}

func (k *Known) is(a Axis) bool {
	return k != nil && k.ID == a.ID && (k.ID != "" || k.Shown == a.Name)
}

// A Carried is what a shop's variant has of the offered axes, in order, "" for none. Wants is what it should have of
// the supplier's; nil for the merchant's own.
type Carried struct {
	Wants []string
	Has   []string
}

// A Word is a supplier's axis as the shop is to have it.
type Word struct {
	ID    string
	Name  string
	To    map[string]string // the supplier's value -> the shop's
	Extra []string          // of the merchant's own variants
	New   []string          // not offered by the shop yet
	Order []string          // the shop's, of what it offers
}

// Follow finds the supplier's axes and values in what the product offers: under the last write's word, the
// supplier's, or that of its variants. known is nil if the last write is forgotten. Follow does not guess: its error
// says what is unclear.
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

// Supplied returns the supplier's axes under the supplier's own words.
func Supplied(want []Axis) []Word {
	return Each(want, func(a Axis) Word {
		w := Word{Name: a.Name, To: map[string]string{}}
		for _, value := range a.Values {
			w.To[value] = value
		}
		return w
	})
}

// Retell puts planned values into the shop's words, and returns the options.
func Retell(list []Planned, words []Word) []Axis {
	for i := range list {
		list[i].Values = slices.Clone(list[i].Values)
		for n, word := range words {
			list[i].Values[n] = word.To[list[i].Values[n]]
		}
	}
	return Choices(Each(words, func(word Word) string { return word.Name }), list)
}

// Carries returns what a shop's variant carries, none if it is not wanted. mark is as Match's key.
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

// Unfollowed is the Blocked error of options that Follow cannot tell.
func Unfollowed(product string, why error, want []Axis, clean func(string) string) error {
	all := Each(want, func(a Axis) string { return a.Name + ": " + strings.Join(a.Values, ", ") })
	return shopadapter.Block("the options of product %s were changed in the shop and cannot be followed: %s. They "+
		"stay as they are. Give the product one option for each of the supplier's (%s), under its name, "+
		"and each of its variants a value of its own, then retry", product, clean(why.Error()),
		clean(strings.Join(all, "; ")))
}

// Remember returns what a successful write leaves for Follow.
func Remember(want []Axis, words []Word) []Known {
	all := make([]Known, len(want))
	for i, w := range words {
		all[i] = Known{want[i].Name, w.ID, w.Name, w.To}
	}
	return all
}

// Offer returns the shop's words to offer: those given in the supplier's order, then the merchant's own. It keeps an
// order that the merchant has changed.
func (w Word) Offer(values []string) []string {
	kept, fresh := among(w.Order, values, true), among(values, w.Order, false)
	if slices.Equal(kept, among(values, kept, true)) {
		return slices.Concat(values, w.Extra)
	}
	return slices.Concat(kept, fresh, w.Extra)
}

func among(list, other []string, in bool) []string {
	return slices.DeleteFunc(slices.Clone(list), func(one string) bool { return slices.Contains(other, one) != in })
}

// matchAxes returns the offered index of each supplier's axis, -1 for a new one.
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
	var spare []int // unmatched; not one that the supplier has dropped
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
		switch len(spare) {
		case 0:
			return nil, fmt.Errorf("it no longer offers «%s» to choose by", was.Shown)
		case 1:
			at[i], spare = spare[0], nil
		default:
			return nil, fmt.Errorf("which of its choices (%s) stands for the supplier's «%s» cannot be told",
				names(offered), a.Name)
		}
	}
	if len(spare) > 0 {
		return nil, fmt.Errorf("it offers «%s» to choose by, which is none of the supplier's choices (%s)",
			offered[spare[0]].Name, names(want))
	}
	return at, nil
}

// following pairs the supplier's i-th axis with the shop's n-th.
type following struct {
	i, n       int
	was        *Known // nil: unknown
	remembered bool
	carried    []Carried
	free       []string // offered, and not taken yet
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
	var gone []string // words written earlier: they cannot be another value's new word
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
	left, by := f.free, map[string]string{} // left is the same for each value: two with one word cannot be told apart
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

// carry reports whether one of the merchant's variants (own), or of ours, carries a word.
func (f *following) carry(word string, own bool) bool {
	return slices.ContainsFunc(f.carried, func(c Carried) bool { return c.Has[f.n] == word && (c.Wants == nil) == own })
}

// renamed returns the shop's word for a value that is not offered under its last one: the free word of its variants.
// Without variants it is new.
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
