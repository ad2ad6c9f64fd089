package story

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// list puts products on the import list. The publication has the product's name as its id.
func list(a *phrase) {
	status, n, of := a.value("status"), a.count("variants", 1), a.count("of", 0)
	pairs := a.given()
	for _, name := range a.rest() {
		l := &sandbox.Listing{
			Texts: map[string]sandbox.Text{
				"en": {Title: strings.ToUpper(name[:1]) + name[1:], Description: "<p>Made well.</p>"},
			},
			ProductID: name + "-product", Category: "GARDEN",
			Pictures: []sandbox.Picture{{URL: "https://images.example/" + name + "-1.png"}},
		}
		resize(l, name, n)
		a.change(l, of, pairs)
		a.Market.Add(sandbox.Publication{ID: name, Listing: l, Status: status})
	}
}

// resize gives a listing n variants, with a size to choose where there are several.
func resize(l *sandbox.Listing, name string, n int) {
	for i := len(l.Variants) + 1; i <= n; i++ {
		v := sandbox.Variant{
			ID: fmt.Sprintf("%s-v%d", name, i), SKU: fmt.Sprintf("%s-%d", strings.ToUpper(name), i),
			Cost: "10.00", MSRP: "20.00", Quantity: 5,
		}
		if n > 1 {
			v.Options = []sandbox.Option{{Name: "Size", Value: strconv.Itoa(i)}}
		}
		l.Variants = append(l.Variants, v)
	}
	l.Variants = l.Variants[:n]
}

// supply has the supplier change products.
func supply(a *phrase) {
	var how []sandbox.Change
	if a.has("quiet") {
		how = append(how, sandbox.KeepUpdatedAt)
	}
	status, listing := a.value("status"), a.value("listing")
	changes := len(a.pairs) > 0
	n, of := a.count("variants", -1), a.count("of", 0)
	pairs := a.given()
	for _, name := range a.rest() {
		if status != "" {
			a.must(a.Market.SetStatus(name, status))
		}
		switch listing {
		case "none":
			had, _ := a.Market.Publication(name)
			a.taken[name] = had.Listing
			a.must(a.Market.SetListing(name, nil, how...))
		case "back":
			a.must(a.Market.SetListing(name, a.taken[name], how...))
		}
		if changes {
			a.must(a.Market.Update(name, func(l *sandbox.Listing) {
				if n >= 0 {
					resize(l, name, n)
				}
				a.change(l, of, pairs)
			}, how...))
		}
	}
}

// change gives a listing, and all its variants or the one that is named, what the pairs say.
func (p *player) change(l *sandbox.Listing, of int, pairs []pair) {
	variants := l.Variants
	if of > 0 {
		variants = variants[of-1 : of]
	}
	for _, c := range pairs {
		key, language, _ := strings.Cut(c.key, ".")
		language = cmp.Or(language, "en")
		switch text := l.Texts[language]; key {
		case "title", "html":
			if key == "title" {
				text.Title = c.value
			} else {
				text.Description = c.value
			}
			l.Texts[language] = text
			if c.value == "none" {
				delete(l.Texts, language)
			}
		case "category":
			l.Category = c.value
		case "brand":
			l.Brand = c.value
		case "pictures":
			l.Pictures = nil
			for address := range strings.SplitSeq(c.value, ",") {
				if address != "0" {
					l.Pictures = append(l.Pictures, sandbox.Picture{URL: "https://images.example/" + address})
				}
			}
		case "shipping":
			part := strings.Split(c.value, ":")
			l.Shipping = []sandbox.Shipping{{CountryGroup: part[0], FixedCosts: part[1], Days: p.number(part[2])}}
		default:
			for i := range variants {
				p.changeVariant(&variants[i], c.key, c.value)
			}
		}
	}
}

func (p *player) changeVariant(v *sandbox.Variant, key, value string) {
	text := map[string]*string{
		"cost": &v.Cost, "msrp": &v.MSRP, "sku": &v.SKU, "ean": &v.EAN, "policy": &v.Policy, "id": &v.ID,
		"weight": &v.Details.Weight, "available": &v.Details.AvailableAt,
	}[key]
	switch {
	case text != nil:
		*text = value
	case key == "stock":
		v.Quantity = p.number(value)
	default:
		p.fail("%s: no such property of a product", key)
	}
}

// hand has the merchant change products in the shop.
func hand(a *phrase) {
	does, of := a.one("delete", "hide", "show", "off", "on", "remove"), a.count("of", 1)-1
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
			for _, c := range pairs {
				a.byHand(it, &it.Variants[of], c.key, c.value)
			}
		})
		if !there {
			a.fail("the shop has no %s", name)
		}
	}
}

func (p *player) byHand(it *shoptest.Product, v *shopadapter.Variant, key, value string) {
	switch key {
	case "price":
		v.Price = strings.TrimPrefix(value, "none")
	case "stock":
		v.Quantity = p.number(value)
	case "sold":
		v.Quantity -= p.number(value)
	case "title":
		it.Title, it.Edited = value, it.Edited|shopadapter.FieldTitle
	case "html":
		it.Description, it.Edited = value, it.Edited|shopadapter.FieldDescription
	default:
		p.fail("%s: nothing that a hand changes", key)
	}
}

// shows holds a product of the shop to what customers should see.
func (a *phrase) shows() {
	name, of := a.next(), a.count("of", 1)-1
	on := a.one("on", "off", "none")
	it, there := a.World.Shop.Get(name)
	if there != (on != "none") {
		a.fail("the shop has %s: %t", name, there)
	}
	if on == "on" || on == "off" {
		a.holds(name+" on sale", it.OnSale, fmt.Sprint(on == "on"))
	}
	for _, c := range a.given() {
		got, known := a.shown(it, of)[c.key]
		if !known {
			a.fail("%s: nothing that %s shows with %d variants", c.key, name, len(it.Variants))
		}
		a.holds(c.key+" of "+name, got, c.value)
	}
}

// shown is a product and one of its variants as customers see them.
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
