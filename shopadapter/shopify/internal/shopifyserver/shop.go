package shopifyserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A Shop is one of the shops in a server. Its methods fail the test when the server does not
// answer.
type Shop struct {
	Token string

	t      testing.TB
	server *Server
}

// Locale is a language of a shop.
type Locale struct {
	Locale  string `json:"locale"`
	Primary bool   `json:"primary"`
}

// Open makes an empty shop. settings replace its own, by their names in the fixture's store.mjs;
// nil: none.
func (s *Server) Open(t testing.TB, settings map[string]any) *Shop {
	t.Helper()
	shop := &Shop{Token: "shpat_" + strings.ToLower(rand.Text()), t: t, server: s}
	if settings == nil {
		settings = map[string]any{}
	}
	shop.do("open", map[string]any{"settings": settings}, nil)
	return shop
}

func (s *Shop) do(command string, args map[string]any, out any) {
	s.t.Helper()
	if err := s.try(context.WithoutCancel(s.t.Context()), command, args, out); err != nil {
		s.t.Errorf("the judge: %v", err)
	}
}

func (s *Shop) try(ctx context.Context, command string, args map[string]any, out any) error {
	all := map[string]any{"command": command, "token": s.Token}
	maps.Copy(all, args)
	return s.server.do(ctx, all, out)
}

// Settings are the adapter's for this shop, with changes by name and value.
func (s *Shop) Settings(changes ...string) map[string]string {
	settings := map[string]string{"STORE": "lamps", "TOKEN": s.Token, "URL": s.server.URL}
	for i := 0; i+1 < len(changes); i += 2 {
		settings[changes[i]] = changes[i+1]
	}
	return settings
}

// Change sets settings of the shop, as Open does.
func (s *Shop) Change(settings map[string]any) { s.t.Helper(); s.do("change", settings, nil) }

// Processing makes pictures take so long from now on.
func (s *Shop) Processing(milliseconds int) {
	s.t.Helper()
	s.do("processing", map[string]any{"milliseconds": milliseconds}, nil)
}

// Delete deletes a product by hand.
func (s *Shop) Delete(ctx context.Context, listing shopadapter.ListingID) error {
	return s.try(ctx, "delete", map[string]any{"id": listing}, nil)
}

// Hide makes a product a draft by hand.
func (s *Shop) Hide(ctx context.Context, listing shopadapter.ListingID) error {
	return s.try(ctx, "hide", map[string]any{"id": listing}, nil)
}

// DeleteStamp clears the adapter's metafields of a product by hand.
func (s *Shop) DeleteStamp(ctx context.Context, listing shopadapter.ListingID) error {
	return s.try(ctx, "deleteStamp", map[string]any{"id": listing}, nil)
}

// RenameOption gives an option of a product another name by hand.
func (s *Shop) RenameOption(ctx context.Context, listing shopadapter.ListingID, option, name string) error {
	return s.try(ctx, "renameOption", map[string]any{"id": listing, "option": option, "name": name}, nil)
}

// RenameValue gives a value of an option another name by hand.
func (s *Shop) RenameValue(ctx context.Context, listing shopadapter.ListingID, option, value, name string) error {
	return s.try(ctx, "renameValue", map[string]any{"id": listing, "option": option, "value": value, "name": name}, nil)
}

// ChangeVariant changes fields of a variant by hand, by their names in the fixture's product.mjs; nil
// deletes it.
func (s *Shop) ChangeVariant(
	ctx context.Context, listing shopadapter.ListingID, variant string, fields map[string]any,
) error {
	return s.try(ctx, "variant", map[string]any{"id": listing, "variant": variant, "fields": fields}, nil)
}

// LoseFile deletes the n-th picture of a product from the shop's files by hand.
func (s *Shop) LoseFile(ctx context.Context, listing shopadapter.ListingID, n int) error {
	return s.try(ctx, "losePicture", map[string]any{"id": listing, "n": n}, nil)
}

// Edit changes a text group of a product by hand.
func (s *Shop) Edit(ctx context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	return s.try(ctx, "edit", map[string]any{"id": listing, "group": group.String()}, nil)
}

// Visit makes the choices of a product's page as a theme does.
func (s *Shop) Visit(ctx context.Context, listing shopadapter.ListingID) ([]laws.Choice, error) {
	var page struct {
		Options  []string `json:"options"`
		Variants []struct {
			SKU       string   `json:"sku"`
			Price     string   `json:"price"`
			Values    []string `json:"values"`
			Available bool     `json:"available"`
		} `json:"variants"`
	}
	err := s.try(ctx, "visit", map[string]any{"id": listing}, &page)
	var variants []laws.Choice
	for _, v := range page.Variants {
		c := laws.Choice{
			// a theme is told no number
			Options: map[string]string{}, SKU: v.SKU, Price: v.Price, InStock: v.Available, Quantity: -1,
		}
		for i, name := range page.Options {
			if name != "Title" || v.Values[i] != "Default Title" {
				c.Options[name] = v.Values[i]
			}
		}
		variants = append(variants, c)
	}
	return laws.Choices(variants), err
}

// State is what a shop counted.
type State struct {
	Faults    []string `json:"faults"` // requests that are not valid, and what is wrong with them
	Requests  int      `json:"requests"`
	Throttled int      `json:"throttled"`
	Taken     int      `json:"taken"` // pictures that the shop fetched and found good
	Tried     int      `json:"tried"` // pictures that it was asked to fetch
}

// State reads the counts.
func (s *Shop) State() State {
	s.t.Helper()
	var state State
	s.do("state", nil, &state)
	return state
}

// A Product is one as the shop holds it.
type Product struct {
	ID           string                                       `json:"id"`
	Title        string                                       `json:"title"`
	Description  string                                       `json:"description"`
	Category     string                                       `json:"category"`
	Tags         []string                                     `json:"tags"`
	Vendor       string                                       `json:"vendor"`
	Status       string                                       `json:"status"`
	OnSale       bool                                         `json:"onSale"`
	Metafields   map[string]string                            `json:"metafields"`
	Translations map[string]map[string]struct{ Value string } `json:"translations"`
	Media        []struct{ Source, Status string }            `json:"media"`
	Options      []string                                     `json:"options"`
	Variants     []struct {
		ID      string         `json:"id"`
		Mark    string         `json:"mark"`
		SKU     string         `json:"sku"`
		Barcode string         `json:"barcode"`
		Price   string         `json:"price"`
		Cost    string         `json:"cost"`
		Weight  *Weight        `json:"weight"`
		Origin  string         `json:"origin"`
		Policy  string         `json:"policy"`
		Tracked bool           `json:"tracked"`
		Values  []string       `json:"values"`
		Levels  map[string]int `json:"levels"`
		On      bool           `json:"on"` // the sales channel
	} `json:"variants"`
}

// A Weight is that of a variant.
type Weight struct {
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
}

// StoreName is the name of each shop, and so the vendor of a product that was given none.
const StoreName = "The Lamp Shop"

// details are those of a product, as its owner sees them, but for the store's own name and tag.
func (p Product) details() map[string]string {
	all := map[string]string{"brand": p.Vendor, "tags": ""}
	if p.Vendor == StoreName {
		all["brand"] = ""
	}
	own := func(tag string) bool { return tag == "pubsync" }
	all["tags"] = strings.Join(slices.DeleteFunc(slices.Clone(p.Tags), own), ", ")
	return all
}

// details are those of a variant.
func details(barcode, origin string, w *Weight) map[string]string {
	all := map[string]string{"ean": barcode, "origin": origin}
	if w != nil && w.Value > 0 {
		all["weight"] = fmt.Sprint(w.Value)
	}
	return all
}

// editDetail gives a detail another value by hand.
func (s *Shop) editDetail(
	ctx context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	fields := map[string]map[string]any{
		"ean": {"barcode": "4006381333931"}, "weight": {"weight": Weight{7.77, "KILOGRAMS"}}, "origin": {"origin": "JP"},
	}
	if name == "brand" {
		return s.Edit(ctx, listing, shopadapter.FieldBrand)
	}
	return s.ChangeVariant(ctx, listing, v.ShopID, fields[name])
}

// Shown are the addresses of the pictures that a customer sees.
func (p Product) Shown() []string {
	var list []string
	for _, m := range p.Media {
		if m.Status == "READY" {
			list = append(list, m.Source)
		}
	}
	return list
}

// Products are all that the shop holds.
func (s *Shop) Products(ctx context.Context) ([]Product, error) {
	var list []Product
	return list, s.try(ctx, "observe", nil, &list)
}

// location is where each shop's stock is.
const location = "gid://shopify/Location/1"

// OnlineStore is the sales channel of each shop.
const OnlineStore = "gid://shopify/Publication/1"

func (s *Shop) observe(ctx context.Context) ([]laws.Seen, error) {
	products, err := s.Products(ctx)
	var list []laws.Seen
	for _, p := range products {
		var stamp struct{ ID string }
		if p.Metafields["pubsync.publication"] != "" {
			_ = json.Unmarshal([]byte(p.Metafields["pubsync.stamp"]), &stamp)
		}
		seen := laws.Seen{
			Listing: shopadapter.ListingID(p.ID), Publication: shopadapter.PublicationID(stamp.ID), OnSale: p.OnSale,
			Title: p.Title, Description: p.Description, Category: p.Category, Images: p.Shown(), Details: p.details(),
		}
		for _, v := range p.Variants {
			choice := map[string]string{}
			for i, name := range p.Options {
				if name != "Title" || v.Values[i] != "Default Title" {
					choice[name] = v.Values[i]
				}
			}
			if !v.Tracked || !v.On {
				continue
			}
			seen.Variants = append(seen.Variants, laws.SeenVariant{
				ID: v.Mark, ShopID: v.ID, SKU: v.SKU, Price: v.Price, Quantity: v.Levels[location],
				Backorders: v.Policy == "CONTINUE", Options: choice, Details: details(v.Barcode, v.Origin, v.Weight),
			})
		}
		list = append(list, seen)
	}
	return list, err
}

func (s *Shop) addForeign(ctx context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	variants := []map[string]any{}
	for _, v := range p.Variants {
		values := []string{}
		for _, o := range v.Options {
			values = append(values, o.Value)
		}
		variants = append(
			variants,
			map[string]any{"sku": v.SKU, "price": v.Price, "quantity": v.Quantity, "values": values},
		)
	}
	var id shopadapter.ListingID
	return id, s.try(ctx, "addForeign", map[string]any{
		"title": p.Title, "description": p.Description, "category": p.Category.Name, "options": p.Options,
		"variants": variants,
	}, &id)
}

// Harness is the shop in the terms of the conformance suite. open makes an adapter over it.
func (s *Shop) Harness(
	transport http.RoundTripper,
	open func(shopadapter.Options) (shopadapter.Adapter, error),
) laws.Harness {
	return laws.Harness{
		Drafts: true,
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return open(
				shopadapter.Options{Settings: s.Settings(), HTTPClient: &http.Client{Transport: wrap(transport)}},
			)
		},
		Observe: s.observe, Secrets: []string{s.Token}, Edit: s.Edit, DeleteByHand: s.Delete, HideByHand: s.Hide,
		AddForeign: s.addForeign, DeleteStamp: s.DeleteStamp,
		Details: []string{"brand", "ean", "weight", "origin", "tags"}, EditDetail: s.editDetail,
		Followed: []string{"tags"}, // the supplier's come and go beside the merchant's, which stay
		SetPriceByHand: func(
			ctx context.Context, l shopadapter.ListingID, v laws.SeenVariant, price string,
		) error {
			return s.ChangeVariant(ctx, l, v.ShopID, map[string]any{"price": price})
		},
		SetQuantityByHand: func(
			ctx context.Context, l shopadapter.ListingID, v laws.SeenVariant, quantity int,
		) error {
			return s.ChangeVariant(ctx, l, v.ShopID, map[string]any{"levels": map[string]int{location: quantity}})
		},
		ReduceByHand: func(
			ctx context.Context, l shopadapter.ListingID, v laws.SeenVariant, price string,
		) error {
			return s.ChangeVariant(ctx, l, v.ShopID, map[string]any{"price": price, "former": v.Price})
		},
		RemoveVariantByHand: func(ctx context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
			return s.ChangeVariant(ctx, l, v.ShopID, nil)
		},
		HideVariantByHand: func(ctx context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
			return s.ChangeVariant(ctx, l, v.ShopID, map[string]any{"off": []string{OnlineStore}})
		},
		Visit: s.Visit, RenameOption: s.RenameOption, RenameValue: s.RenameValue,
		BreakCredentials: func() (mend func()) {
			s.Change(map[string]any{"revoked": true})
			return func() { s.Change(map[string]any{"revoked": false}) }
		},
		Uploads:      func() int { return s.State().Taken },
		LosePicture:  s.LosePicture,
		SpoilPicture: func(address string) { s.do("spoil", map[string]any{"address": address}, nil) },
		RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product {
			p.Variants[i].SKU = strings.Repeat("A", 256)
			return p
		},
		RefuseProduct: func(p shopadapter.Product) shopadapter.Product {
			p.Title = "counterfeit " + p.Title
			return p
		},
	}
}

// LosePicture makes a picture of images.example.com one that cannot be fetched, until back is
// called.
func (s *Shop) LosePicture(address string) (back func()) {
	s.do("lose", map[string]any{"address": address, "lost": true}, nil)
	return func() { s.do("lose", map[string]any{"address": address, "lost": false}, nil) }
}
