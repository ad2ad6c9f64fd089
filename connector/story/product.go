package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// list makes publications whose ids are the products' names.
func list(a *phrase) {
	status, pairs := a.value("status"), a.given()
	for _, name := range a.rest() {
		v := sandbox.Variant{
			SKU: strings.ToUpper(name) + "-1", Cost: "10.00", MSRP: "20.00", Quantity: 5,
		}
		if slices.ContainsFunc(pairs, func(pair string) bool { return strings.HasPrefix(pair, "variants=") }) {
			v.Options = []sandbox.Option{{Name: "Size", Value: "No. 1"}}
		}
		l := &sandbox.Listing{
			Texts: map[string]sandbox.Text{
				"en": {Title: strings.ToUpper(name[:1]) + name[1:], Description: "<p>Made well.</p>"},
			},
			ProductID: name + "-product", Category: "GARDEN", Variants: []sandbox.Variant{v},
			Pictures: []sandbox.Picture{{URL: "https://images.example/" + name + "-1.png"}},
		}
		a.must(l.Apply(pairs...))
		for i := range l.Variants {
			l.Variants[i].ID = fmt.Sprintf("%s-v%d", name, i+1)
		}
		a.Market.Add(sandbox.Publication{ID: name, Listing: l, Status: status})
	}
}

func supply(a *phrase) {
	var how []sandbox.Change
	if a.has("quiet") {
		how = append(how, sandbox.KeepUpdatedAt)
	}
	pairs := a.given()
	for _, name := range a.rest() {
		a.must(a.Market.Supply(name, pairs, how...))
	}
}

// hand has the merchant change the shop.
func hand(a *phrase) {
	does, of := a.one("delete", "hide", "show", "off", "on", "remove"), a.variant()
	pairs := a.given()
	for _, name := range a.rest() {
		there := a.World.Shop.Hand(name, func(it *shoptest.Product) {
			switch does {
			case "delete":
				it.Deleted, it.OnSale = true, false
			case "hide", "show":
				it.OnSale = does == "show"
			case "off", "on":
				it.Off[it.Variants[of].ID] = does == "off"
			case "remove":
				it.Variants = slices.Delete(it.Variants, of, of+1)
			}
			v := &it.Variants[of]
			for _, pair := range pairs {
				switch key, value, _ := strings.Cut(pair, "="); key {
				case "price":
					v.Price = strings.TrimPrefix(value, "none")
				case "stock":
					v.Quantity = a.number(value)
				case "sold":
					v.Quantity -= a.number(value)
				case "title":
					it.Title, it.Edited = value, it.Edited|shopadapter.FieldTitle
				default:
					a.fail("%s: nothing that a hand changes", key)
				}
			}
		})
		if !there {
			a.fail("the shop has no %s", name)
		}
	}
}

func (a *phrase) shows() {
	name, of := a.next(), a.variant()
	on := a.one("on", "off", "none")
	it, there := a.World.Shop.Get(name)
	if there != (on != "none") {
		a.fail("the shop has %s: %t", name, there)
	}
	if on == "on" || on == "off" {
		a.holds(name+" on sale", it.OnSale, fmt.Sprint(on == "on"))
	}
	for _, pair := range a.given() {
		key, want, _ := strings.Cut(pair, "=")
		got, known := a.shown(it, of)[key]
		if !known {
			a.fail("%s: nothing that %s shows with %d variants", key, name, len(it.Variants))
		}
		a.holds(key+" of "+name, got, want)
	}
}

func (p *player) shown(it shoptest.Product, of int) map[string]any {
	all := map[string]any{
		"variants": len(it.Variants), "pictures": len(it.Images), "title": it.Title, "html": it.Description,
		"title.nl": it.Translations["nl"].Title, "category": it.Category.Path, "brand": it.Brand,
	}
	if of < len(it.Variants) {
		v := it.Variants[of]
		all["price"], all["cost"], all["msrp"] = p.can.Prices().Shown(v.Price), v.Cost, v.MSRP
		all["stock"], all["backorders"], all["sku"], all["ean"] = v.Quantity, v.Backorders, v.SKU, v.EAN
	}
	return all
}
