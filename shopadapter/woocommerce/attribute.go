package woocommerce

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A choice is an attribute of a product as it is written.
type choice struct {
	ID        int64    `json:"id,omitempty"`   // of a global attribute
	Name      string   `json:"name,omitempty"` // of the product's own
	Position  int      `json:"position"`
	Visible   bool     `json:"visible"`
	Variation bool     `json:"variation"`
	Options   []string `json:"options"`
}

// bodies numbers the attributes for a write, which replaces the whole list.
func bodies(list []choice) []choice {
	all := append([]choice{}, list...) // null is no list
	for i := range all {
		if all[i].Position = i; all[i].ID > 0 {
			all[i].Name = ""
		}
	}
	return all
}

// attributes returns what visitors choose by, or else what they only read, without those named like an option.
func (w *write) attributes(choosing bool) (all []choice) {
	for _, a := range w.held.Attributes {
		taken := !choosing && a.ID == 0 && slices.ContainsFunc(w.words, func(o kit.Word) bool {
			return o.ID == "" && fold(o.Name) == fold(string(a.Name))
		})
		if a.Variation.is() != choosing || taken {
			continue
		}
		options := kit.Each(a.Options, func(o text) string { return plain(string(o)) })
		all = append(all, choice{
			ID: int64(a.ID), Name: plain(string(a.Name)), Visible: a.Visible.is(), Variation: choosing, Options: options,
		})
	}
	return all
}

// choosing returns what visitors are to choose by, in the order of held.
func (w *write) choosing(held []choice, variants []kit.Planned) (all []choice) {
	words := w.words
	if words == nil {
		words = kit.Supplied(kit.Choices(w.options, w.planned))
	}
	for n, word := range words {
		values := word.Offer(kit.Choices(make([]string, n+1), variants)[n].Values)
		all = append(all, choice{
			ID: attributeID(word), Name: word.Name, Visible: true, Variation: true, Options: append([]string{}, values...),
		})
	}
	place := func(c choice) int {
		if n := slices.IndexFunc(held, func(h choice) bool { return h.ID == c.ID && h.Name == plain(c.Name) }); n >= 0 {
			return n
		}
		return len(held)
	}
	for i, c := range all {
		if n := place(c); n < len(held) {
			all[i].Visible = held[n].Visible // as the merchant has it
		}
	}
	slices.SortStableFunc(all, func(a, b choice) int { return place(a) - place(b) })
	return all
}

func sameChoices(held, want []choice, values bool) bool {
	return slices.EqualFunc(held, want, func(h, w choice) bool {
		return h.ID == w.ID && h.Name == plain(w.Name) && (!values ||
			slices.EqualFunc(h.Options, w.Options, func(a, b string) bool { return a == plain(b) }))
	})
}

func attributeID(w kit.Word) int64 {
	id, _ := strconv.ParseInt(w.ID, 10, 64) // "" is none
	return id
}

// follow takes over the merchant's words. Where these cannot be told, only price and stock are written.
func (w *write) follow(turned bool) {
	if !w.variable {
		w.note.Choices = nil
		return
	}
	want := kit.Choices(w.options, w.planned)
	w.words = kit.Supplied(want)
	if offered, carried := w.offered(); len(offered) > 0 && !w.Own && !turned {
		words, err := kit.Follow(want, w.note.Choices, offered, carried)
		if err != nil {
			w.unclear = kit.Unfollowed(w.a.called(w.held), err, want, w.a.clean)
			return
		}
		w.words = words
	}
	w.note.Choices = kit.Remember(want, w.words)
	kit.Retell(w.planned, w.words)
}

func (w *write) offered() (axes []kit.Axis, carried []kit.Carried) {
	for _, c := range w.attributes(true) {
		axis := kit.Axis{Name: c.Name, Values: c.Options}
		if c.ID > 0 {
			axis.ID = strconv.FormatInt(c.ID, 10)
		}
		axes = append(axes, axis)
	}
	for _, v := range w.variations {
		has := kit.Each(axes, func(a kit.Axis) string { return v.picked(a.ID, a.Name) })
		carried = append(carried, kit.Carries(w.planned, v.key, has)...)
	}
	return axes, carried
}

func attributeNames(options []string, language string) []string {
	switch {
	case len(options) > 0:
		return kit.Each(options, optionValue)
	case strings.HasPrefix(language, "de"), strings.HasPrefix(language, "fr"):
		return []string{"Variante"}
	}
	return []string{"Variant"}
}

func chosenBy(v shopadapter.Variant, options []string, n int) string {
	if len(options) == 0 {
		return optionValue(cmp.Or(strings.TrimSpace(v.Title), v.SKU, v.ID))
	}
	for _, o := range v.Options {
		if o.Name == options[n] {
			return optionValue(o.Value)
		}
	}
	return "-"
}

// A feature is an attribute that visitors read and do not choose by.
type feature struct {
	name   string            // in the note
	called map[string]string // by language
	of     func(v shopadapter.Variant) []string
}

var features = []feature{
	{
		name: "materials", of: func(v shopadapter.Variant) []string { return v.Materials },
		called: map[string]string{"en": "Material", "nl": "Materiaal", "de": "Material", "fr": "Matière"},
	}, {
		name: "origin", of: func(v shopadapter.Variant) []string { return []string{v.Origin} },
		called: map[string]string{
			"en": "Country of origin", "nl": "Land van herkomst", "de": "Herkunftsland", "fr": "Pays d’origine",
		},
	},
}

// at passes over global attributes, which are the merchant's.
func (f feature) at(list []choice) int {
	names := kit.Each(slices.Collect(maps.Values(f.called)), fold)
	return slices.IndexFunc(list, func(c choice) bool { return c.ID == 0 && slices.Contains(names, fold(c.Name)) })
}

// shared returns no values where variants differ.
func (f feature) shared(variants []shopadapter.Variant) (values []string) {
	for i, v := range variants {
		var own []string
		for _, value := range f.of(v) {
			if value = optionValue(value); value != "-" && !slices.Contains(own, value) {
				own = append(own, value)
			}
		}
		if i > 0 && !slices.Equal(own, values) {
			return nil
		}
		values = own
	}
	return values
}

// decideAttributes leaves a feature that the merchant added, changed or renamed, and a choice of that name.
func (w *write) decideAttributes(fields map[string]any) {
	held, others := w.attributes(true), w.attributes(false)
	own, differs := held, !w.variable && len(held) > 0
	switch {
	case !w.variable:
		own = nil
	case w.Changed.Has(shopadapter.FieldVariants):
		var sold []kit.Planned
		for _, v := range w.wanted {
			if v.Held != nil {
				sold = append(sold, v.Planned)
			}
		}
		own = w.choosing(held, sold)
		differs = !sameChoices(held, own, true)
	}
	for _, f := range features {
		const bar = " | " // as WooCommerce keeps them
		values, i, has := f.shared(w.p.Variants), f.at(others), ""
		if !w.Changed.Has(shopadapter.FieldDetails) || w.p.Unknown.Has(shopadapter.FieldDetails) || f.at(own) >= 0 ||
			len(values) == 0 && w.note.Details[f.name] == "" {
			continue
		}
		if i >= 0 {
			has = strings.Join(others[i].Options, bar)
		}
		write, next := w.DecideValues(shopadapter.FieldDetails, map[string]string{f.name: has},
			map[string]string{f.name: strings.Join(values, bar)}, w.note.Details)
		w.note.Details = next
		if len(write) == 0 {
			continue
		}
		differs = true
		switch {
		case len(values) > 0 && i >= 0:
			others[i].Options = values
		case len(values) > 0:
			language, _, _ := strings.Cut(w.p.Language, "-")
			name := cmp.Or(f.called[language], f.called["en"])
			others = append(others, choice{Name: name, Visible: true, Options: values})
		case i >= 0:
			others = slices.Delete(others, i, i+1)
		}
	}
	if differs {
		fields["attributes"] = bodies(append(own, others...))
	}
}

func without(values kit.Values, name string) kit.Values {
	values = maps.Clone(values)
	delete(values, name)
	return values
}
