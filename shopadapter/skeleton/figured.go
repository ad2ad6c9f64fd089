package skeleton

import "github.com/pubsync/pubsync/shopadapter"

// figured is a product of which nothing but figures is known. Its variants differ in an option that
// holds their ids, so that plan refuses one that is named twice.
func figured(variants []shopadapter.Variant) shopadapter.Product {
	p := shopadapter.Product{Options: []string{"id"}, Figures: true}
	for _, f := range variants {
		f.Options = []shopadapter.Option{{Name: "id", Value: f.ID}}
		p.Variants = append(p.Variants, f)
	}
	return p
}
