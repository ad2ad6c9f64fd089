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

// A choice is an attribute of a product as it is written: one that visitors choose by, or read.
type choice struct {
	ID        int64    `json:"id,omitempty"`   // of a global attribute
	Name      string   `json:"name,omitempty"` // of an attribute of the product's own
	Position  int      `json:"position"`
	Visible   bool     `json:"visible"`
	Variation bool     `json:"variation"`
	Options   []string `json:"options"`
}

// bodies is attributes in the order in which the product is to have them. A write replaces the
// list.
func bodies(list []choice) []choice {
	all := append([]choice{}, list...) // null is no list
	for i := range all {
		if all[i].Position = i; all[i].ID > 0 {
			all[i].Name = "" // it goes by its id
		}
	}
	return all
}

// attributes is what visitors choose by in the product that the shop holds, or else the attributes
// that nothing is chosen by, the merchant's and ours, but for those that have the name of an option.
func (w *write) attributes(choosing bool) (all []choice) {
	for _, a := range w.held.Attributes {
		taken := !choosing && a.ID == 0 && slices.ContainsFunc(w.words, func(o kit.Word) bool {
			return o.ID == "" && fold(o.Name) == fold(string(a.Name))
		})
		if a.Variation.is() != choosing || taken {
			continue
		}
		c := choice{
			ID: int64(a.ID), Name: plain(string(a.Name)), Visible: a.Visible.is(), Variation: choosing, Options: []string{},
		}
		for _, option := range a.Options {
			c.Options = append(c.Options, plain(string(option)))
		}
		all = append(all, c)
	}
	return all
}

// choosing is what visitors are to choose by, with the values of these variants, in the order of
// those that the product has.
func (w *write) choosing(held []choice, variants []kit.Planned) (all []choice) {
	words := w.words
	if words == nil {
		words = kit.Supplied(w.axes())
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

func (w *write) axes() (all []kit.Axis) {
	for _, c := range kit.Choices(w.options, w.planned) {
		all = append(all, kit.Axis{Name: c.Name, Values: c.Values})
	}
	return all
}

// follow puts options and values in the words that the merchant has given to them. Where these
// cannot be told, options and variations stay as they are.
func (w *write) follow(turned bool) error {
	if !w.variable {
		w.note.Choices = nil
		return nil
	}
	want := w.axes()
	w.words = kit.Supplied(want)
	if offered := w.offered(); len(offered) > 0 && !w.Own && !turned {
		words, err := kit.Follow(want, w.note.Choices, offered, w.carried(offered))
		if err != nil {
			var all []string
			for _, axis := range want {
				all = append(all, axis.Name+": "+strings.Join(axis.Values, ", "))
			}
			w.unclear = shopadapter.Block("the options of product %s were changed in the shop and cannot be followed: %s. "+
				"They stay as they are. Give the product one option for each of the supplier's (%s), under any name, and "+
				"each of its variants a value of its own, then retry", w.a.called(w.held), w.a.clean(err.Error()),
				w.a.clean(strings.Join(all, "; ")))
			if !w.note.finished() {
				return w.unclear // it is the merchant's still
			}
			return nil
		}
		w.words = words
	}
	w.note.Choices = kit.Remember(want, w.words)
	for i := range w.planned {
		w.planned[i].Values = slices.Clone(w.planned[i].Values)
		for n := range w.words {
			w.planned[i].Values[n] = w.words[n].To[w.planned[i].Values[n]]
		}
	}
	return nil
}

func (w *write) offered() (all []kit.Axis) {
	for _, c := range w.attributes(true) {
		axis := kit.Axis{Name: c.Name, Values: c.Options}
		if c.ID > 0 {
			axis.ID = strconv.FormatInt(c.ID, 10)
		}
		all = append(all, axis)
	}
	return all
}

func (w *write) carried(axes []kit.Axis) (all []kit.Carried) {
	for i := range w.variations {
		v := &w.variations[i]
		c := kit.Carried{Has: make([]string, len(axes))}
		for n, axis := range axes {
			c.Has[n] = v.picked(axis.ID, axis.Name)
		}
		if v.key != "" {
			n := slices.IndexFunc(w.planned, func(p kit.Planned) bool { return p.ID == v.key })
			if n < 0 {
				continue // it goes
			}
			c.Wants = w.planned[n].Values
		}
		all = append(all, c)
	}
	return all
}

// optionNames are the names of the options in the supplier's order, those that only a variant
// mentions at the end.
func optionNames(p shopadapter.Product) (names []string) {
	used, all := map[string]bool{}, slices.Clone(p.Options)
	for _, v := range p.Variants {
		for _, o := range v.Options {
			used[o.Name] = true
			all = append(all, o.Name)
		}
	}
	for _, name := range all {
		if used[name] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// attributeNames are options' names in a form that gives each a key of its own. WooCommerce keeps
// attributes by a slug of the name.
func attributeNames(options []string, language string) (names []string) {
	if len(options) == 0 {
		options = []string{"Variant"}
		if strings.HasPrefix(language, "de") || strings.HasPrefix(language, "fr") {
			options = []string{"Variante"}
		}
	}
	taken := map[string]bool{}
	for i, name := range options {
		if name = optionValue(name); fold(name) == "" {
			name = "Option " + strconv.Itoa(i+1)
		}
		own := name
		for n := 2; taken[fold(own)]; n++ {
			own = name + " " + strconv.Itoa(n)
		}
		taken[fold(own)] = true
		names = append(names, own)
	}
	return names
}

// chosenBy is a variant's value for the n-th option. place counts the variants from 1.
func chosenBy(v shopadapter.Variant, options []string, n, place int) string {
	if len(options) == 0 {
		return optionValue(cmp.Or(strings.TrimSpace(v.Title), v.SKU, strconv.Itoa(place)))
	}
	for _, o := range v.Options {
		if o.Name == options[n] {
			return optionValue(o.Value)
		}
	}
	return "-"
}

// A feature is an attribute that a visitor reads and does not choose by.
type feature struct {
	name   string            // in the note of what was written last
	called map[string]string // by language
	of     func(v shopadapter.Variant) []string
}

var features = []feature{
	{
		name:   "materials",
		called: map[string]string{"en": "Material", "nl": "Materiaal", "de": "Material", "fr": "Matière"},
		of:     func(v shopadapter.Variant) []string { return v.Materials },
	}, {
		name: "origin",
		called: map[string]string{
			"en": "Country of origin", "nl": "Land van herkomst", "de": "Herkunftsland", "fr": "Pays d’origine",
		},
		of: func(v shopadapter.Variant) []string { return []string{v.Origin} },
	},
}

// at is the place of the attribute among others, -1 for none. A global one is the merchant's.
func (f feature) at(list []choice) int {
	return slices.IndexFunc(list, func(c choice) bool {
		for _, name := range f.called {
			if c.ID == 0 && fold(c.Name) == fold(name) {
				return true
			}
		}
		return false
	})
}

// shared is the values in which all variants agree; none where they differ.
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

// bar stands between the values of an attribute, as WooCommerce keeps them.
const bar = " | "

// decideAttributes writes the list of attributes where a choice or a feature differs.
func (w *write) decideAttributes(fields map[string]any) {
	held, differs := w.attributes(true), false
	own := held
	switch {
	case !w.variable:
		own, differs = nil, len(held) > 0
	case w.Changed.Has(shopadapter.FieldVariants) && w.unclear == nil:
		var sold []kit.Planned
		for _, v := range w.wanted {
			if v.Held != nil {
				sold = append(sold, v.Planned)
			}
		}
		own = w.choosing(held, sold)
		differs = !sameChoices(held, own, true)
	}
	if others, writes := w.decideFeatures(own); writes || differs {
		fields["attributes"] = bodies(append(own, others...))
	}
}

// decideFeatures is the attributes that nothing is chosen by, and whether one of them differs. A
// feature that the merchant added, changed or renamed stays, and so does a choice of that name.
func (w *write) decideFeatures(own []choice) (others []choice, writes bool) {
	others = w.attributes(false)
	if !w.Changed.Has(shopadapter.FieldDetails) || w.p.Unknown.Has(shopadapter.FieldDetails) {
		return others, false
	}
	held, want := map[string]string{}, map[string]string{}
	for _, f := range features {
		values, i := f.shared(w.p.Variants), f.at(others)
		if f.at(own) >= 0 || len(values) == 0 && w.note.Details[f.name] == "" {
			continue
		}
		want[f.name], held[f.name] = strings.Join(values, bar), ""
		if i >= 0 {
			held[f.name] = strings.Join(others[i].Options, bar)
		}
	}
	write, next := w.DecideValues(shopadapter.FieldDetails, held, want, w.note.Details)
	w.note.Details = next
	for _, f := range features {
		value, differs := write[f.name]
		i := f.at(others)
		switch {
		case !differs, value == "" && i < 0:
		case value == "":
			others = slices.Delete(others, i, i+1)
		case i >= 0:
			others[i].Options = strings.Split(value, bar)
		default:
			language, _, _ := strings.Cut(w.p.Language, "-")
			name := cmp.Or(f.called[language], f.called["en"])
			others = append(others, choice{Name: name, Visible: true, Options: strings.Split(value, bar)})
		}
	}
	return others, len(write) > 0
}

func without(values kit.Values, name string) kit.Values {
	values = maps.Clone(values)
	delete(values, name)
	return values
}
