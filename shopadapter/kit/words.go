package kit

import (
	"fmt"
	"maps"
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
func Follow(want []Axis, known []Known, offered []Axis, carried []Carried) ([]Word, error) {
	at, was, err := matchAxes(want, known, offered, carried)
	if err != nil {
		return nil, err
	}
	all := make([]Word, 0, len(want))
	for i, a := range want {
		if at[i] < 0 {
			w := Supplied([]Axis{a})[0]
			w.New = slices.Clone(a.Values)
			all = append(all, w)
			continue
		}
		one := values{Axis: a, offer: offered[at[i]], was: was[i], remembered: known != nil}
		for _, c := range carried {
			v := carriedValue{has: c.Has[at[i]], own: c.Wants == nil}
			if !v.own {
				v.wants = c.Wants[i]
			}
			one.carried = append(one.carried, v)
		}
		word, err := one.follow()
		if err != nil {
			return nil, err
		}
		all = append(all, word)
	}
	return all, nil
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

// matchAxes finds the place of each of the supplier's axes among those offered, -1 for a new one,
// and what is known of it.
func matchAxes(want []Axis, known []Known, offered []Axis, carried []Carried) (at []int, was []*Known, err error) {
	at, was = make([]int, len(want)), make([]*Known, len(want))
	find := func(i int, fits func(Axis) bool) {
		for n, o := range offered {
			if at[i] < 0 && !slices.Contains(at, n) && fits(o) {
				at[i] = n
			}
		}
	}
	for i, a := range want {
		at[i] = -1
		if n := slices.IndexFunc(known, func(k Known) bool { return k.Name == a.Name }); n >= 0 {
			was[i] = &known[n]
		}
	}
	for i := range want {
		if was[i] != nil {
			find(i, was[i].is)
		}
	}
	for i, a := range want {
		find(i, func(o Axis) bool { return o.Name == a.Name })
	}
	for i, a := range want {
		find(i, func(o Axis) bool { return strings.EqualFold(o.Name, a.Name) })
	}
	var spare []int // nobody's yet; one that the supplier had, and has no longer, goes
	for n, o := range offered {
		if !slices.Contains(at, n) && !slices.ContainsFunc(known, func(k Known) bool { return k.is(o) }) {
			spare = append(spare, n)
		}
	}
	found := map[int]int{}
	for i, a := range want {
		switch {
		case at[i] >= 0 || was[i] == nil && known != nil: // found, or new
			continue
		case len(spare) == 0 && was[i] != nil:
			return nil, nil, unclear("it no longer offers «%s» to choose by", was[i].shown())
		case len(spare) == 0:
			continue
		}
		n := likeliest(i, a, spare, offered, carried)
		if n < 0 {
			return nil, nil, unclear("which of its choices (%s) stands for the supplier's «%s» cannot be told",
				names(offered), a.Name)
		}
		if other, twice := found[n]; twice {
			return nil, nil, unclear("its choice «%s» could be the supplier's «%s» or «%s»",
				offered[n].Name, want[other].Name, a.Name)
		}
		found[n] = i
	}
	for n, i := range found {
		at[i] = n
	}
	for _, n := range spare {
		if !slices.Contains(at, n) {
			return nil, nil, unclear("it offers «%s» to choose by, which is none of the supplier's choices (%s)",
				offered[n].Name, names(want))
		}
	}
	return at, was, nil
}

// likeliest is the one of the spare axes whose values the variants carry as they would carry those
// of a, -1 where there is none or several.
func likeliest(i int, a Axis, spare []int, offered []Axis, carried []Carried) int {
	best, most, ties := -1, -1, 0
	for _, n := range spare {
		to, back, same, fits := map[string]string{}, map[string]string{}, 0, true
		for _, c := range carried {
			if c.Wants == nil || c.Has[n] == "" {
				continue
			}
			wants, has := c.Wants[i], c.Has[n]
			if other, ok := to[wants]; ok && other != has {
				fits = false
			}
			if other, ok := back[has]; ok && other != wants {
				fits = false
			}
			to[wants], back[has] = has, wants
			if wants == has {
				same++
			}
		}
		if len(to) == 0 {
			for _, value := range a.Values {
				if slices.Contains(offered[n].Values, value) {
					same++
				}
			}
			fits = same > 0
		}
		switch {
		case !fits:
		case same > most:
			best, most, ties = n, same, 1
		case same == most:
			ties++
		}
	}
	if ties != 1 {
		return -1
	}
	return best
}

// A carriedValue is what one variant of the shop carries of one axis.
type carriedValue struct {
	wants, has string
	own        bool // it is the merchant's
}

// values is one of the supplier's axes beside the one that the shop offers.
type values struct {
	Axis
	offer      Axis
	was        *Known // nil: nothing is known of it
	remembered bool   // the last write is remembered
	carried    []carriedValue
	word       Word
	free       []string // offered, and nobody's yet
}

// follow finds the shop's word for each value.
func (v *values) follow() (Word, error) {
	v.word = Word{
		ID: v.offer.ID, Name: v.offer.Name, To: map[string]string{}, Order: slices.Clone(v.offer.Values),
	}
	v.free = slices.Clone(v.offer.Values)
	if v.was != nil {
		for _, value := range v.Values {
			if word, ok := v.was.word(value); ok && slices.Contains(v.free, word) {
				v.take(value, word)
			}
		}
	}
	for _, value := range v.Values {
		if _, done := v.word.To[value]; !done && slices.Contains(v.free, value) {
			v.take(value, value)
		}
	}
	if v.was != nil { // what the supplier no longer has is nobody's new word
		for value := range maps.Keys(v.was.Values) {
			gone, _ := v.was.word(value)
			v.free = without(v.free, func(word string) bool { return word == gone })
		}
	}
	v.free = without(v.free, func(word string) bool {
		theirs := v.carry(word, true) && !v.carry(word, false)
		if theirs {
			v.word.Extra = append(v.word.Extra, word)
		}
		return theirs
	})
	left := slices.Clone(v.free) // for each: two that have one word are told apart by nothing
	for _, value := range v.Values {
		if _, done := v.word.To[value]; done {
			continue
		}
		word, err := v.renamed(value, left)
		if err != nil {
			return Word{}, err
		}
		if !slices.Contains(v.offer.Values, word) {
			v.word.New = append(v.word.New, word)
		}
		v.take(value, word)
	}
	by := map[string]string{}
	for _, value := range v.Values {
		word := v.word.To[value]
		if other, twice := by[word]; twice {
			return Word{}, unclear("its «%s» has one value «%s» for the supplier's «%s» and «%s»",
				v.offer.Name, word, other, value)
		}
		by[word] = value
	}
	return v.word, nil
}

func (v *values) take(value, word string) {
	v.word.To[value] = word
	v.free = without(v.free, func(free string) bool { return free == word })
}

func (v *values) carry(word string, own bool) bool {
	return slices.ContainsFunc(v.carried, func(c carriedValue) bool { return c.has == word && c.own == own })
}

// renamed is the shop's word for a value that it does not offer under the last one: the one that
// the variants of it carry, among those that are free. A value that the shop has no variant of is
// new.
func (v *values) renamed(value string, free []string) (string, error) {
	last, written := value, !v.remembered
	if v.was != nil {
		last, written = v.was.word(value)
	}
	if len(free) == 0 || !written {
		return last, nil
	}
	var words []string
	there, kept := false, true
	for _, c := range v.carried {
		if c.own || c.wants != value {
			continue
		}
		there, kept = true, kept && c.has == value
		if slices.Contains(free, c.has) && !slices.Contains(words, c.has) {
			words = append(words, c.has)
		}
	}
	switch {
	case len(words) == 1:
		return words[0], nil
	case !there, kept && v.was == nil:
		return last, nil
	case len(words) > 1:
		return "", unclear("the supplier's «%s» is %s there", value, quoted(words, " and "))
	}
	return "", unclear("its «%s» no longer has the value «%s», and which of %s stands for it cannot be told",
		v.offer.Name, last, quoted(free, ", "))
}

func names(list []Axis) string {
	all := make([]string, 0, len(list))
	for _, a := range list {
		all = append(all, a.Name)
	}
	return strings.Join(all, ", ")
}

func quoted(list []string, between string) string {
	return "«" + strings.Join(list, "»"+between+"«") + "»"
}
