//go:build unix

package medusa_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

func publish(
	t testing.TB, a shopadapter.Adapter, p shopadapter.Product, changed shopadapter.Fields,
) shopadapter.Listing {
	t.Helper()
	l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, changed)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A counter passes requests on, and knows them.
type counter struct {
	next  http.RoundTripper
	calls []string
	then  func(r *http.Request) // after an answer
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	c.calls = append(c.calls, r.Method)
	response, err := c.next.RoundTrip(r)
	if c.then != nil {
		c.then(r)
	}
	return response, err
}

// texts are the rest of a listing's life: what stands in Medusa's own words and fields.
func (s story) texts(t *testing.T) {
	office, a, plain := s.server.office, s.a, s.server.office.client.Transport
	t.Run("a category is made below those of its branch, and the merchant's name for one stays", func(t *testing.T) {
		filed := func(id shopadapter.PublicationID, leaf string) {
			t.Helper()
			p := s.product(id, 1)
			p.Category = shopadapter.Category{Path: "HOME_LIVING_" + leaf, Branch: []shopadapter.Level{
				{Path: "HOME", Name: "Wonen"},
				{Path: "HOME_LIVING", Name: "Woonaccessoires"},
				{Path: "HOME_LIVING_" + leaf, Name: strings.ToLower(leaf)},
			}}
			publish(t, a, p, shopadapter.AllFields)
		}
		filed("candles", "CANDLES")
		home, err := office.category(t.Context(), "", "home")
		if err == nil {
			err = office.ask(t.Context(), http.MethodPost, "/admin/product-categories/"+home, object{"name": "Thuis"}, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		filed("clocks", "CLOCKS")
		var tree struct {
			Category struct {
				Name     string
				Children []struct {
					Name     string
					Children []struct{ Name string } `json:"category_children"`
				} `json:"category_children"`
			} `json:"product_category"`
		}
		path := "/admin/product-categories/" + home + "?include_descendants_tree=true&fields=name,*category_children"
		if err := office.ask(t.Context(), http.MethodGet, path, nil, &tree); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(tree.Category)
		if got != "{Thuis [{Woonaccessoires [{candles} {clocks}]}]}" {
			t.Errorf("the shop has the categories %s", got)
		}
	})
	t.Run("a product has the sizes in which its variants agree", func(t *testing.T) {
		for variants, want := range map[int]ShownSizes{
			1: {Weight: "1050", Length: "20.5", Width: "10", Height: "40", Origin: "nl", Material: "STEEL, LINEN_0"},
			2: {Origin: "nl", Material: "STEEL, LINEN_0"},
		} {
			id := shopadapter.PublicationID(fmt.Sprint("sizes", variants))
			publish(t, a, laws.WithDetails(s.product(id, variants), 0), shopadapter.AllFields)
			if diff := cmp.Diff(want, office.of(t, id).ShownSizes); diff != "" {
				t.Errorf("%d variants (-want +got):\n%s", variants, diff)
			}
		}
		err := office.update(t.Context(), shopadapter.ListingID(office.of(t, "sizes1").ID), object{"width": 99})
		if err != nil {
			t.Fatal(err)
		}
		next := laws.WithDetails(s.product("sizes1", 1), 1)
		if l := publish(t, a, next, shopadapter.FieldDetails); l.Kept != shopadapter.FieldDetails {
			t.Errorf("kept: got %s, want details", l.Kept)
		}
		want := ShownSizes{
			Weight: "2050", Length: "21.5", Width: "99", Height: "41", Origin: "pt", Material: "STEEL, LINEN_1",
		}
		if diff := cmp.Diff(want, office.of(t, "sizes1").ShownSizes); diff != "" {
			t.Errorf("after an edit (-want +got):\n%s", diff)
		}
	})
	t.Run("units are the merchant's to name", func(t *testing.T) {
		settings := map[string]string{"WEIGHT_UNIT": "kg", "DIMENSION_UNIT": "mm"}
		for name, value := range s.settings {
			settings[name] = value
		}
		publish(t, openReal(t, settings, plain), laws.WithDetails(s.product("units", 1), 0), shopadapter.AllFields)
		if v := office.of(t, "units").Variants[0]; v.Weight != "1.05" || v.Length != "205" {
			t.Errorf("weight %s, length %s; want 1.05 and 205", v.Weight, v.Length)
		}
	})
	t.Run("metadata of any kind is the merchant's", func(t *testing.T) {
		p := s.product("metadata", 1)
		l := publish(t, a, p, shopadapter.AllFields)
		mine := object{"tags": []any{"mine"}}
		err := office.updateVariant(t.Context(), l.ID, l.ShopIDs()[p.Variants[0].ID], object{"metadata": mine})
		if err == nil {
			err = office.update(t.Context(), l.ID, object{"metadata": object{"brand": 47}})
		}
		if err != nil {
			t.Fatal(err)
		}
		l = publish(t, a, laws.WithDetails(p, 1), shopadapter.AllFields)
		got := office.of(t, p.ID)
		if l.Kept != shopadapter.FieldBrand|shopadapter.FieldDetails || got.Metadata["brand"] != 47.0 ||
			fmt.Sprint(got.Variants[0].Metadata["tags"]) != "[mine]" {
			t.Errorf("kept %s, the brand is %v, the tags are %v", l.Kept, got.Metadata["brand"], got.Variants[0].Metadata)
		}
	})
	t.Run("a price takes a look and one write", func(t *testing.T) {
		counting := &counter{next: plain}
		a, p := openReal(t, s.settings, counting), s.product("requests", 2)
		publish(t, a, p, shopadapter.AllFields)
		p.Variants[0].Price = "24.95"
		for changed, want := range map[shopadapter.Fields]string{
			shopadapter.FieldPrice: "[GET POST]", shopadapter.FieldTitle: "[GET GET]",
		} {
			counting.calls = nil
			publish(t, a, p, changed)
			if got := fmt.Sprint(counting.calls); got != want {
				t.Errorf("%s: the requests are %s, want %s", changed, got, want)
			}
		}
	})
	t.Run("a handle is of letters that every address takes", func(t *testing.T) {
		form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
		for title, begins := range map[string]string{
			"Grüne Lampe, 40 cm!": "gruene-lampe-40-cm-", "灯": "", strings.Repeat("lamp ", 40): "lamp-lamp-",
		} {
			p := s.product(shopadapter.PublicationID(title), 1)
			p.Title = title
			handle := strings.TrimPrefix(publish(t, a, p, shopadapter.AllFields).URL, "https://shop.example/products/")
			if !strings.HasPrefix(handle, begins) || len(handle) > 80 || !form.MatchString(handle) {
				t.Errorf("%q: %q", title, handle)
			}
		}
	})
	t.Run("of two products with one mark the merchant keeps one", func(t *testing.T) {
		p := s.product("twice", 1)
		l := publish(t, a, p, shopadapter.AllFields)
		note := kit.Encode(kit.Note{Version: 1, ID: string(p.ID)})
		late := object{
			"title": "Lamp", "status": "draft", "external_id": kit.Key(p.ID), "handle": "late",
			"options": []object{{"title": "Kind", "values": []string{"Only"}}}, "metadata": object{"pubsync": note},
		}
		if err := office.ask(t.Context(), http.MethodPost, "/admin/products", late, nil); err != nil {
			t.Fatal(err)
		}
		_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID, Listing: l.ID}, p, shopadapter.FieldTitle)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || e.ShopWide {
			t.Errorf("got %v, want it blocked", err)
		}
	})
	t.Run("stock is that of the chosen location, at once", func(t *testing.T) {
		p := s.product("stock", 2)
		l := publish(t, a, p, shopadapter.AllFields)
		var shed struct {
			Location struct{ ID string } `json:"stock_location"`
		}
		err := office.ask(t.Context(), http.MethodPost, "/admin/stock-locations", object{"name": "Shed"}, &shed)
		if err == nil {
			err = office.level(t.Context(), shed.Location.ID, 99)
		}
		if err != nil {
			t.Fatal(err)
		}
		ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true}
		// A hook of the owner's gives each new item a level: a variant that is made anew has its stock all the same.
		hooked := &counter{next: plain, then: func(r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/variants/batch") {
				if err := office.level(context.WithoutCancel(t.Context()), s.shop.Location, 0); err != nil {
					t.Error(err)
				}
			}
		}}
		p.Variants[0].SKU += "-NEW"
		if _, err := openReal(t, s.settings, hooked).Publish(t.Context(), ref, p, shopadapter.FieldVariants); err != nil {
			t.Fatal(err)
		}
		for _, v := range observe(t, a, shopadapter.Query{Refs: []shopadapter.Ref{ref}})[p.ID].Variants {
			for _, want := range p.Variants {
				if v.SKU == want.SKU && v.Quantity != want.Quantity {
					t.Errorf("%s: the quantity is %d, want %d", v.SKU, v.Quantity, want.Quantity)
				}
			}
		}
	})
}

// level gives each inventory item that has none a level at a location.
func (o *office) level(ctx context.Context, location string, quantity int) error {
	var all struct {
		Items []struct {
			ID     string
			Levels []struct {
				Location string `json:"location_id"`
			} `json:"location_levels"`
		} `json:"inventory_items"`
	}
	path := "/admin/inventory-items?limit=1000&fields=id,location_levels.location_id"
	if err := o.ask(ctx, http.MethodGet, path, nil, &all); err != nil {
		return err
	}
	levels := []object{}
	for _, item := range all.Items {
		has := false
		for _, l := range item.Levels {
			has = has || l.Location == location
		}
		if !has {
			levels = append(levels, object{
				"inventory_item_id": item.ID, "location_id": location, "stocked_quantity": quantity,
			})
		}
	}
	return o.ask(ctx, http.MethodPost, "/admin/inventory-items/location-levels/batch", object{"create": levels}, nil)
}
