// Package choice follows a merchant who renames what a visitor chooses by: the options of a
// product, and their values.
//
// The supplier's word for an axis ("Color") or a value ("Red") is looked for among what the product
// offers now. The last complete write tells which word of the shop stood for it. Where that word is
// gone, the variations do: each belongs to a variant of the supplier's, so the value that it
// carries is the merchant's word for that variant's. Where they do not tell for certain, nothing is
// guessed.
package choice

import (
	"fmt"
	"slices"
)

// An Axis is one thing to choose by.
type Axis struct {
	ID     string // the shop's, for an axis that several products share; "" for one that goes by its name
	Name   string
	Values []string
}

// A Known is what the last complete write left of one of the supplier's axes.
type Known struct {
	Name   string            `json:"n"`           // the supplier's
	ID     string            `json:"i,omitempty"` // the shop's
	Shown  string            `json:"s,omitempty"` // the shop's name, where it is not the supplier's
	Values map[string]string `json:"v,omitempty"` // the supplier's value -> the shop's, "" where that is the same
}

func (k Known) shown() string {
	if k.Shown == "" {
		return k.Name
	}
	return k.Shown
}

func (k Known) shop(value string) (string, bool) {
	shop, ok := k.Values[value]
	if shop == "" {
		shop = value
	}
	return shop, ok
}

func (k Known) is(a Axis) bool { return k.ID == a.ID && (k.ID != "" || k.shown() == a.Name) }

// A Held is a variation of the shop: the values that it carries, in the order of the axes that the
// product offers. "" is none. Wants is what its variant of the supplier's is now, in the order of
// the supplier's axes; nil where the variation is the merchant's own.
type Held struct {
	Wants []string
	Has   []string
}

// A Match is one of the supplier's axes as the shop is to have it.
type Match struct {
	ID    string
	Name  string
	To    map[string]string // the supplier's value -> the shop's
	Extra []string          // values of the merchant's own variations
	New   []string          // values that the shop does not offer yet
	Order []string          // the shop's, of what it offers
}

// An Unclear is the error of a choice that cannot be followed.
type Unclear struct{ Why string }

func (e *Unclear) Error() string { return e.Why }

func unclear(format string, args ...any) error { return &Unclear{fmt.Sprintf(format, args...)} }

// Follow finds each of the supplier's axes, and each of its values, among what the product offers.
// known is nil where the last write is not remembered. read gives the product's variations; it is
// called once, and only where words do not tell.
func Follow(want []Axis, known []Known, offered []Axis, read func() ([]Held, error)) ([]Match, error) {
	f := &follower{
		want:    want,
		known:   known,
		offered: offered,
		read:    read,
		at:      make([]int, len(want)),
		was:     make([]*Known, len(want)),
	}
	if err := f.axes(); err != nil {
		return nil, err
	}
	var all []Match
	for i := range want {
		m, err := f.values(i)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, nil
}

// Remember is what a write that has ended well leaves.
func Remember(want []Axis, matches []Match) []Known {
	all := make([]Known, 0, len(want))
	for i, m := range matches {
		k := Known{Name: want[i].Name, ID: m.ID, Values: map[string]string{}}
		if m.Name != k.Name {
			k.Shown = m.Name
		}
		for _, value := range want[i].Values {
			if k.Values[value] = m.To[value]; k.Values[value] == value {
				k.Values[value] = ""
			}
		}
		all = append(all, k)
	}
	return all
}

// Same is what the supplier's axes are in a shop that calls them as the supplier does.
func Same(want []Axis) []Match {
	all := make([]Match, 0, len(want))
	for _, a := range want {
		m := Match{Name: a.Name, To: map[string]string{}}
		for _, value := range a.Values {
			m.To[value] = value
		}
		all = append(all, m)
	}
	return all
}

// Offer is the values of an axis to be offered, of the shop's: those given, in the supplier's
// order, and the merchant's own. An order that the merchant has changed stays.
func (m Match) Offer(values []string) []string {
	kept := slices.DeleteFunc(slices.Clone(m.Order), func(v string) bool { return !slices.Contains(values, v) })
	same := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return !slices.Contains(kept, v) })
	list := values
	if !slices.Equal(kept, same) {
		fresh := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return slices.Contains(kept, v) })
		list = slices.Concat(kept, fresh)
	}
	return slices.Concat(list, m.Extra)
}
