package laws_test

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// follow is p in the words that the merchant has given to its options and their values. What they
// are called goes into the album.
func (a *refAdapter) follow(
	have *refProduct,
	p shopadapter.Product,
	album map[string]string,
) (shopadapter.Product, error) {
	if a.sabotage == putsBack || a.sabotage == ownNames {
		return p, nil
	}
	wanted := refProduct{}
	for _, v := range p.Variants {
		wanted.Variants = append(wanted.Variants, refVariant{Ref: v.ID, Options: v.Options})
	}
	want, offered := wanted.axes(), have.axes()
	var known []kit.Known
	if len(offered) > 0 { // without a variant there are no options
		_ = json.Unmarshal([]byte(have.Meta[choicesKey]), &known)
	}
	var held []kit.Carried
	for _, v := range have.Variants {
		i := slices.IndexFunc(wanted.Variants, func(w refVariant) bool { return w.Ref == v.Ref })
		if i >= 0 {
			held = append(held, kit.Carried{Wants: carried(wanted.Variants[i], want), Has: carried(v, offered)})
		}
	}
	matches, err := kit.Follow(want, known, offered, held)
	if err != nil {
		return p, shopadapter.Block("the merchant changed the choices: %w", err)
	}
	text, _ := json.Marshal(kit.Remember(want, matches))
	album[choicesKey] = string(text)
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		v := &p.Variants[i]
		v.Options = slices.Clone(v.Options)
		for j, o := range v.Options {
			m := matches[slices.IndexFunc(want, func(a kit.Axis) bool { return a.Name == o.Name })]
			v.Options[j] = shopadapter.Option{Name: m.Name, Value: m.To[o.Value]}
		}
		if a.sabotage == othersPrice {
			v.Price = p.Variants[0].Price
		}
	}
	return p, nil
}

const choicesKey = "choices"

// carried is what a variant is for each of the axes.
func carried(v refVariant, axes []kit.Axis) []string {
	values := make([]string, len(axes))
	for _, o := range v.Options {
		if i := slices.IndexFunc(axes, func(a kit.Axis) bool { return a.Name == o.Name }); i >= 0 {
			values[i] = o.Value
		}
	}
	return values
}

// remember writes what the options are called now, once the variants have been written.
func (a *refAdapter) remember(ctx context.Context, have *refProduct, album map[string]string) error {
	now := album[choicesKey]
	delete(album, choicesKey)
	if now == "" || now == have.Meta[choicesKey] {
		return nil
	}
	return a.patch(ctx, have, map[string]any{"meta": map[string]string{choicesKey: now}})
}
