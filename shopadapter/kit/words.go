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
	Shown  string            `json:"s,omitempty"` // the shop's name, where it is not the supplier's
	Values map[string]string `json:"v,omitempty"` // the supplier's value -> the shop's, "" where that is the same
}

func (k Known) shown() string {
	if k.Shown != "" {
		return k.Shown
	}
	return k.Name
}

// word is the shop's for one of the supplier's values; ok is false for one that was not written.
func (k Known) word(value string) (word string, ok bool) {
	if word, ok = k.Values[value]; word == "" {
		word = value
	}
	return word, ok
}

func (k Known) is(a Axis) bool { return k.ID == a.ID && (k.ID != "" || k.shown() == a.Name) }

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

// An Unclear is the error of options that the merchant changed beyond recognition.
type Unclear struct{ Why string }

func (e *Unclear) Error() string { return e.Why }

func unclear(format string, args ...any) error { return &Unclear{fmt.Sprintf(format, args...)} }

// Follow finds each of the supplier's axes, and each of its values, among what the product offers:
// under the word of the last write, under the supplier's own, or under the one that the variants of
// it carry. known is nil where the last write is not remembered. What cannot be told for certain is
// an *Unclear; nothing is guessed.
func Follow(want []Axis, known []Known, offered []Axis, carried []Carried) (words []Word, err error) {
	at, err := matchAxes(want, known, offered, carried)
	if err != nil {
		return nil, err
	}
	for i, a := range want {
		word := Supplied(want[i : i+1])[0]
		if word.New = a.Values; at[i] >= 0 {
			f := following{
				i: i, n: at[i], want: a, offer: offered[at[i]], was: knownAs(known, a.Name), remembered: known != nil,
				carried: carried,
			}
			if word, err = f.values(); err != nil {
				return nil, err
			}
		}
		words = append(words, word)
	}
	return words, nil
}

// knownAs is what is known of one of the supplier's axes, nil for nothing.
func knownAs(known []Known, name string) *Known {
	if n := slices.IndexFunc(known, func(k Known) bool { return k.Name == name }); n >= 0 {
		return &known[n]
	}
	return nil
}

// Supplied is what the supplier's axes are in a shop that calls them as the supplier does.
func Supplied(want []Axis) []Word {
	all := make([]Word, 0, len(want))
	for _, a := range want {
		w := Word{Name: a.Name, To: map[string]string{}}
		for _, value := range a.Values {
			w.To[value] = value
		}
		all = append(all, w)
	}
	return all
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
		"stay as they are. Give the product one option for each of the supplier's (%s), under any name, and each of its "+
		"variants a value of its own, then retry", product, clean(why.Error()), clean(strings.Join(all, "; ")))
}

// Remember is what a write that has ended well leaves for the next Follow.
func Remember(want []Axis, words []Word) []Known {
	all := make([]Known, 0, len(want))
	for i, w := range words {
		k := Known{Name: want[i].Name, ID: w.ID, Values: map[string]string{}}
		if w.Name != k.Name {
			k.Shown = w.Name
		}
		for _, value := range want[i].Values {
			if k.Values[value] = w.To[value]; k.Values[value] == value {
				k.Values[value] = ""
			}
		}
		all = append(all, k)
	}
	return all
}

// Offer is the values of an axis to be offered, of the shop's words: those given, in the supplier's
// order, and the merchant's own. An order that the merchant has changed stays.
func (w Word) Offer(values []string) []string {
	kept := without(w.Order, func(v string) bool { return !slices.Contains(values, v) })
	same := without(values, func(v string) bool { return !slices.Contains(kept, v) })
	if slices.Equal(kept, same) {
		return slices.Concat(values, w.Extra)
	}
	fresh := without(values, func(v string) bool { return slices.Contains(kept, v) })
	return slices.Concat(kept, fresh, w.Extra)
}

func without(list []string, drop func(string) bool) []string {
	return slices.DeleteFunc(slices.Clone(list), drop)
}

// matchAxes finds the place of each of the supplier's axes among those offered, -1 for a new one.
func matchAxes(want []Axis, known []Known, offered []Axis, carried []Carried) ([]int, error) {
	at := slices.Repeat([]int{-1}, len(want))
	for _, is := range []func(a, o Axis) bool{
		func(a, o Axis) bool { k := knownAs(known, a.Name); return k != nil && k.is(o) },
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
	found := map[int]int{} // by the place of a spare one
	for i, a := range want {
		was := knownAs(known, a.Name)
		switch {
		case at[i] >= 0 || was == nil && (known != nil || len(spare) == 0): // found, or new
			continue
		case len(spare) == 0:
			return nil, unclear("it no longer offers «%s» to choose by", was.shown())
		}
		n, sure := likely(i, a, spare, offered, carried)
		if !sure {
			return nil, unclear("which of its choices (%s) stands for the supplier's «%s» cannot be told",
				names(offered), a.Name)
		}
		if other, twice := found[n]; twice {
			return nil, unclear("its choice «%s» could be the supplier's «%s» or «%s»",
				offered[n].Name, want[other].Name, a.Name)
		}
		found[n] = i
	}
	for _, n := range spare {
		i, ok := found[n]
		if !ok {
			return nil, unclear("it offers «%s» to choose by, which is none of the supplier's choices (%s)",
				offered[n].Name, names(want))
		}
		at[i] = n
	}
	return at, nil
}

// likely is the spare axis whose values the variants carry as they would carry those of the supplier's
// i-th, a. Of several, or where no variant carries any, it is the one that has kept a value of it.
func likely(i int, a Axis, spare []int, offered []Axis, carried []Carried) (n int, sure bool) {
	var fits, kept []int
	for _, n := range spare {
		to, back, same := map[string]string{}, map[string]string{}, false
		fit := !slices.ContainsFunc(carried, func(c Carried) bool {
			if c.Wants == nil || c.Has[n] == "" {
				return false
			}
			wants, has := c.Wants[i], c.Has[n]
			other := cmp.Or(to[wants], has) != has || cmp.Or(back[has], wants) != wants
			to[wants], back[has], same = has, wants, same || wants == has
			return other
		})
		if len(to) == 0 {
			same = slices.ContainsFunc(a.Values, func(v string) bool { return slices.Contains(offered[n].Values, v) })
			fit = same
		}
		if fit {
			fits = append(fits, n)
		}
		if fit && same {
			kept = append(kept, n)
		}
	}
	if len(fits) > 1 {
		fits = kept
	}
	if len(fits) != 1 {
		return 0, false
	}
	return fits[0], true
}

// following is one of the supplier's axes, its i-th, beside the one that the shop offers, its n-th.
type following struct {
	i, n        int
	want, offer Axis
	was         *Known // nil: nothing is known of it
	remembered  bool   // the last write is remembered
	carried     []Carried
	word        Word
	free        []string // offered, and nobody's yet
}

// values finds the shop's word for each value.
func (f *following) values() (Word, error) {
	f.word = Word{ID: f.offer.ID, Name: f.offer.Name, To: map[string]string{}, Order: slices.Clone(f.offer.Values)}
	f.free = slices.Clone(f.offer.Values)
	for _, value := range f.want.Values {
		if f.was != nil {
			if word, ok := f.was.word(value); ok && slices.Contains(f.free, word) {
				f.take(value, word)
			}
		}
	}
	for _, value := range f.want.Values {
		if _, done := f.word.To[value]; !done && slices.Contains(f.free, value) {
			f.take(value, value)
		}
	}
	f.free = without(f.free, func(word string) bool {
		if f.isGone(word) {
			return true
		}
		theirs := f.carry(word, true) && !f.carry(word, false)
		if theirs {
			f.word.Extra = append(f.word.Extra, word)
		}
		return theirs
	})
	left := f.free // for each: two that have one word are told apart by nothing
	by := map[string]string{}
	for _, value := range f.want.Values {
		if _, done := f.word.To[value]; !done {
			word, err := f.renamed(value, left)
			if err != nil {
				return Word{}, err
			}
			if !slices.Contains(f.offer.Values, word) {
				f.word.New = append(f.word.New, word)
			}
			f.take(value, word)
		}
		word := f.word.To[value]
		if other, twice := by[word]; twice {
			return Word{}, unclear("its «%s» has one value «%s» for the supplier's «%s» and «%s»",
				f.offer.Name, word, other, value)
		}
		by[word] = value
	}
	return f.word, nil
}

func (f *following) take(value, word string) {
	f.word.To[value] = word
	f.free = without(f.free, func(free string) bool { return free == word })
}

// isGone reports whether a word is of a value that was written once: it is no other's new word.
func (f *following) isGone(word string) bool {
	if f.was != nil {
		for value := range f.was.Values {
			if was, _ := f.was.word(value); was == word {
				return true
			}
		}
	}
	return false
}

// carry reports whether a variant of the merchant's own, or one of ours, carries a word.
func (f *following) carry(word string, own bool) bool {
	return slices.ContainsFunc(f.carried, func(c Carried) bool { return c.Has[f.n] == word && (c.Wants == nil) == own })
}

// renamed is the shop's word for a value that it does not offer under the last one: the one that
// the variants of it carry, among those that are free. A value that the shop has no variant of is
// new.
func (f *following) renamed(value string, free []string) (string, error) {
	last, written := value, !f.remembered
	if f.was != nil {
		last, written = f.was.word(value)
	}
	if len(free) == 0 || !written {
		return last, nil
	}
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
		return "", unclear("the supplier's «%s» is %s there", value, quoted(words, " and "))
	}
	return "", unclear("its «%s» no longer has the value «%s», and which of %s stands for it cannot be told",
		f.offer.Name, last, quoted(free, ", "))
}

func names(list []Axis) string {
	return strings.Join(Each(list, func(a Axis) string { return a.Name }), ", ")
}

func quoted(list []string, between string) string {
	return "«" + strings.Join(list, "»"+between+"«") + "»"
}
