// Package variants keeps account of the variants of one product that a shop refuses, for shops to which variants go in requests of their own.
package variants

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// Refused is why each refused variant is, by the variant's id: a Listing's Refused.
type Refused map[string]string

// Take notes a rejection as the variant's own. It returns any other error.
func (r Refused) Take(id string, err error) error {
	if !step.Rejected(err) {
		return err
	}
	r[id] = shopadapter.Explain(err).Message
	return nil
}

// Send writes what goes to the variants of these ids, in one request. Where the shop refuses it, each is sent alone, so that the others are not held up.
// There is at least one.
func Send[T any](refused Refused, ids []string, inputs []T, send func([]T) error) error {
	err := send(inputs)
	if len(inputs) == 1 || !step.Rejected(err) {
		return refused.Take(ids[0], err)
	}
	for i, id := range ids {
		if err := refused.Take(id, send(inputs[i:i+1])); err != nil {
			return err
		}
	}
	return nil
}

// None is the error of a product of which the shop takes no variant.
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

// Plan picks the variants that the shop can sell: those to which values gives no reason against it, and which differ from those before them in a value.
func Plan(p shopadapter.Product, refused Refused, values func(shopadapter.Variant) (values []string, why string)) (list []Planned) {
	for i, v := range p.Variants {
		have, why := values(v)
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

// Values are what a variant has for the options of these names, in their order. why is the reason to refuse it, "" for none.
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
