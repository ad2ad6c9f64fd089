package skeleton

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Refused is why each refused variant is, by the variant's id: a Listing's Refused.
type Refused map[string]string

// Take records a rejection as the variant's own. It returns any other error.
func (r Refused) Take(id string, err error) error {
	if !step.Rejected(err) {
		return err
	}
	r[id] = shopadapter.Explain(err).Message
	return nil
}

// Send writes what goes to the variants of these ids, each run of inputs in one request. Where the
// shop refuses one, each of its inputs is sent alone, so that the others are not held up.
func Send[T any](refused Refused, ids []string, runs iter.Seq[[]T], send func([]T) error) error {
	for run := range runs {
		err := send(run)
		if len(run) > 1 && step.Rejected(err) {
			if err := Send(refused, ids, slices.Chunk(run, 1), send); err != nil {
				return err
			}
		} else if err := refused.Take(ids[0], err); err != nil {
			return err
		}
		ids = ids[len(run):]
	}
	return nil
}

// A Choice is an option of a product, with the values that its variants have.
type Choice struct {
	Name   string
	Values []string // each once, in the order of first use
}

// choices are the options of these names, with what the planned variants have of them.
func choices(names []string, list []Planned) []Choice {
	all := make([]Choice, len(names))
	for i, name := range names {
		all[i].Name = name
		for _, v := range list {
			if !slices.Contains(all[i].Values, v.Values[i]) {
				all[i].Values = append(all[i].Values, v.Values[i])
			}
		}
	}
	return all
}

// None is the error of a product of which the shop accepts no variant.
func (r Refused) None(p shopadapter.Product) error {
	for _, v := range p.Variants {
		if why := r[v.ID]; why != "" {
			return shopadapter.Reject("no variant can be sold: %s", why)
		}
	}
	return shopadapter.Reject("the product has no variant")
}

// A Planned is a variant that the shop can sell, with its value for each of the product's options.
type Planned struct {
	shopadapter.Variant
	Place  int // among the product's variants
	Values []string
}

// An Offer is what a variant has for each of the options, or why the shop cannot sell it.
type Offer = func(shopadapter.Variant) (values []string, why string)

// plan picks the variants that the shop can sell: those to which offer gives no reason against it,
// and which differ from those before them in a value.
func plan(p shopadapter.Product, refused Refused, offer Offer) (list []Planned) {
	for i, v := range p.Variants {
		have, why := offer(v)
		same := slices.IndexFunc(list, func(other Planned) bool { return slices.Equal(other.Values, have) })
		switch {
		case why != "":
			refused[v.ID] = why
		case same >= 0:
			refused[v.ID] = "it has the same options as the variant " + cmp.Or(list[same].Title, list[same].ID)
		default:
			list = append(list, Planned{v, i, have})
		}
	}
	return list
}

// Values are what a variant has for the options of these names, in their order. why is the reason
// to refuse it, "" for none.
func Values(v shopadapter.Variant, names []string) (values []string, why string) {
	for _, name := range names {
		i := slices.IndexFunc(v.Options, func(o shopadapter.Option) bool { return o.Name == name })
		if i < 0 || strings.TrimSpace(v.Options[i].Value) == "" {
			return nil, "it has no value for the option " + name
		}
		values = append(values, strings.TrimSpace(v.Options[i].Value))
	}
	return values, ""
}

// Names are the names of choices.
func Names(choices []Choice) []string {
	return each.Of(choices, func(c Choice) string { return c.Name })
}

// Chosen is a variant's value for each of the choices, by their names.
func (p Planned) Chosen(choices []Choice) map[string]string {
	chosen := make(map[string]string, len(choices))
	for i, c := range choices {
		chosen[c.Name] = p.Values[i]
	}
	return chosen
}

// A Wanted is a planned variant beside what the shop holds of it.
type Wanted[H any] struct {
	Planned
	Held *H // nil: not made yet
}

// Unmade reports whether the shop has still to make the variant.
func (w Wanted[H]) Unmade() bool { return w.Held == nil }

// A List is the planned variants of one product, each beside what the shop holds of it.
type List[H any] []Wanted[H]

// Incomplete reports whether the shop has still to make one.
func (l List[H]) Incomplete() bool { return slices.ContainsFunc(l, Wanted[H].Unmade) }

// Made is the shop's id of each variant that it has: a Listing's Variants.
func (l List[H]) Made(id func(*H) string) map[string]string {
	made := map[string]string{}
	for _, w := range l {
		if !w.Unmade() {
			made[w.ID] = id(w.Held)
		}
	}
	return made
}

// match gives each planned variant what the shop holds of it: the first with its mark that fits.
// surplus are our other ones: wanted no longer, there twice, or unfit. key is a variant's mark, ""
// for one of the merchant's.
func match[H any](
	list []Planned,
	held []H,
	key func(*H) string,
	fits func(*H, Planned) bool,
) (wanted List[H], surplus []*H) {
	wanted = make(List[H], len(list))
	for i, planned := range list {
		wanted[i].Planned = planned
	}
	place := places(list)
	for i := range held {
		one := &held[i]
		mark := key(one)
		j, planned := place[mark]
		switch {
		case mark == "":
		case !planned || !wanted[j].Unmade() || !fits(one, list[j]):
			surplus = append(surplus, one)
		default:
			wanted[j].Held = one
		}
	}
	return wanted, surplus
}

// places is where each planned variant stands in the list, by its id and by stamp.Key of that.
func places(list []Planned) map[string]int {
	place := make(map[string]int, len(list))
	for i, v := range slices.Backward(list) { // of two the first counts
		place[stamp.Key(v.ID)], place[v.ID] = i, i
	}
	return place
}

// An OptionPlan says what to do with the options of a product.
type OptionPlan[O any] struct {
	Add     []Choice  // not there yet
	Keep    []Kept[O] // there, maybe with other values
	Remove  []O       // ours, and wanted no longer or there twice
	Foreign []O       // the merchant's
}

// A Kept is an option that the shop holds and that is wanted.
type Kept[O any] struct {
	Choice
	Held O
}

// Rebuilds reports whether the set of options changes.
func (p OptionPlan[O]) Rebuilds() bool { return len(p.Add)+len(p.Remove) > 0 }

// PlanOptions compares the options that a product shall have with those that the shop holds. The
// two are the same where their names are. ours tells an option of the adapter's that is not wanted
// from one of the merchant's.
func PlanOptions[O any](want []Choice, held []O, name func(O) string, ours func(O) bool) (plan OptionPlan[O]) {
	index := func(list []Choice, o O) int {
		return slices.IndexFunc(list, func(c Choice) bool { return c.Name == name(o) })
	}
	plan.Add = slices.Clone(want)
	for _, o := range held {
		switch i := index(plan.Add, o); {
		case i >= 0:
			plan.Keep = append(plan.Keep, Kept[O]{plan.Add[i], o})
			plan.Add = slices.Delete(plan.Add, i, i+1)
		case index(want, o) >= 0 || ours(o):
			plan.Remove = append(plan.Remove, o)
		default:
			plan.Foreign = append(plan.Foreign, o)
		}
	}
	return plan
}
