package skeleton

import "github.com/pubsync/pubsync/shopadapter"

// figured is a product of which nothing but figures is known. Its variants differ in an option that
// holds their ids, so that plan refuses one that is named twice.
func figured(figures []shopadapter.Figures) shopadapter.Product {
	p := shopadapter.Product{Options: []string{"id"}}
	for _, f := range figures {
		p.Variants = append(
			p.Variants,
			f.On(shopadapter.Variant{ID: f.ID, Options: []shopadapter.Option{{Name: "id", Value: f.ID}}}),
		)
	}
	return p
}
