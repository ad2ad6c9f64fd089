package skeleton

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
)

// An Axis is one thing to choose by, as the shop offers it: its id there ("" where it goes by its
// name), its name and its values.
type Axis = choice.Axis

// A Known is what one of the supplier's options, and its values, were called in the shop after the
// last complete write. Stamp or state keeps a list of them.
type Known = choice.Known

// A Carried is what one variant of the shop carries of the axes, in their order. Wants is what it
// is to carry; nil for one of the merchant's own.
type Carried = choice.Held

// A Match is one of the product's options as the shop is to have it: under which id, and in which
// order its values stand.
type Match = choice.Match

// Unclear is the error of Carried where it cannot be told what the variants carry.
type Unclear = choice.Unclear

// Renamer is a shop in which the merchant may rename what a visitor chooses by. Options and values
// are then written in the merchant's words, never beside them. Where these cannot be told, options
// and variants stay as they are, and Write.Unclear says what the merchant has to do.
type Renamer interface {
	// Axes are the options of the product as it stands; none where there is nothing to choose.
	Axes() []Axis
	// Known is the list that the last complete write left. The skeleton replaces it by what this
	// write leaves.
	Known() *[]Known
	// Carried is what the variants of the product carry. Write.Carried makes it.
	Carried(ctx context.Context) ([]Carried, error)
}

// Carried is what the product's variants carry: has gives the values of one, in the order of the
// axes. One that is wanted no longer is not among them.
func (w *Write[V]) Carried(shop Shop[V], has func(*V) []string) (list []Carried) {
	place := places(w.Planned)
	for i := range w.Found.Variants {
		held := &w.Found.Variants[i]
		one := Carried{Has: has(held)}
		if key := shop.Key(held); key != "" {
			n, wanted := place[key]
			if !wanted {
				continue // it goes
			}
			one.Wants = w.Planned[n].Values
		}
		list = append(list, one)
	}
	return list
}

func (w *Write[V]) follow(ctx context.Context, renamer Renamer) error {
	known := renamer.Known()
	if len(w.Product.Options) == 0 {
		*known = nil
		return nil
	}
	offered := renamer.Axes()
	if w.Own || len(offered) == 0 {
		offered, *known = nil, nil // the options are not the merchant's to rename yet
	}
	matches, err := follow(
		&w.Options,
		w.Planned,
		known,
		offered,
		func() ([]Carried, error) { return renamer.Carried(ctx) },
	)
	w.Matches = matches
	var unclear *Unclear
	if !errors.As(err, &unclear) {
		return err
	}
	clean := w.Clean
	if clean == nil {
		clean = strings.Clone
	}
	words := each.Of(w.Options, func(c Choice) string { return c.Name + ": " + strings.Join(c.Values, ", ") })
	w.Unclear = shopadapter.Block(
		"the options of product %s were changed in the shop and cannot be followed: %s. They stay as they are. "+
			"Give the product one option for each of the supplier's (%s), under any name, and each of its variants "+
			"a value of its own, then retry",
		cmp.Or(w.Found.Called, w.Found.ID),
		clean(unclear.Why),
		clean(strings.Join(words, "; ")),
	)
	return nil
}

// follow puts choices and the values of the planned variants in the words that the merchant has
// given to them, among those offered. last is what a write has left of them, and becomes what this
// one leaves. Nothing is changed beside an error.
func follow(
	options *[]Choice,
	list []Planned,
	last *[]Known,
	offered []Axis,
	read func() ([]Carried, error),
) ([]Match, error) {
	want := each.Of(*options, func(c Choice) Axis { return Axis{Name: c.Name, Values: c.Values} })
	matches := choice.Same(want)
	if len(offered) > 0 {
		var err error
		if matches, err = choice.Follow(want, *last, offered, read); err != nil {
			return choice.Same(want), err
		}
	}
	*last = choice.Remember(want, matches)
	for i := range list {
		list[i].Values = slices.Clone(list[i].Values)
		for n := range matches {
			list[i].Values[n] = matches[n].To[list[i].Values[n]]
		}
	}
	*options = choices(each.Of(matches, func(m Match) string { return m.Name }), list)
	return matches, nil
}
