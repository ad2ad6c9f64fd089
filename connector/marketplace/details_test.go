package marketplace_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// detailed reads one product of the catalogue from a marketplace, as a client of c does.
func detailed(
	t *testing.T, o sandbox.Options, c marketplace.Config, template string,
) (read func() (*marketplace.Listing, error)) {
	t.Helper()
	m := sandbox.New(o)
	t.Cleanup(m.Close)
	added, err := m.Carry(sandbox.Order{Do: []string{"add", template}})
	if err != nil {
		t.Fatal(err)
	}
	c.URL, c.Token, c.Languages = "https://market.test", sandbox.DefaultToken, []string{"en"}
	c.Transport = m.Transport()
	client := marketplace.New(c)
	t.Cleanup(func() { client.Close() })
	return func() (*marketplace.Listing, error) {
		p, err := next(t, client, added.IDs[0], 0)
		if err != nil {
			return nil, err
		}
		return p.Listing, nil
	}
}

// saying is what PUBSYNC_MARKETPLACE_FORMS says.
func saying(t *testing.T, text string) marketplace.Said {
	t.Helper()
	said, err := marketplace.ParseSaid(text)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// The details of a product and of its variants come with the content, on a schema of each form,
// whether it can be read or not.
func TestDetails(t *testing.T) {
	edges := []string{
		"ProductVariantConnection.nodes", "ListingVariantConnection.nodes", "ImageConnection.nodes",
	}
	for name, tt := range map[string]struct {
		o     sandbox.Options
		forms string
	}{
		"introspected":           {},
		"assumed":                {o: sandbox.Options{NoIntrospection: true}},
		"in pages":               {o: sandbox.Options{Limit: 100, RestoreRate: 50}},
		"edges of one list":      {o: sandbox.Options{Lacks: edges[:1]}},
		"edges, introspected":    {o: sandbox.Options{Lacks: edges}},
		"edges, assumed":         {sandbox.Options{Lacks: edges, NoIntrospection: true}, "connections=edges"},
		"without some of theirs": {o: sandbox.Options{Lacks: []string{"ProductVariant.volume", "Product.weight"}}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read := detailed(t, tt.o, marketplace.Config{Details: true, Forms: saying(t, tt.forms)}, "planter")
				l, err := read()
				if err != nil {
					t.Fatal(err)
				}
				if l.Brand != "Kleibakker" || len(l.BySKU) != 4 || len(l.Variants) != 4 || len(l.Unread) > 0 {
					t.Errorf("got %+v, want 4 variants with details of Kleibakker's, and nothing unread", l)
				}
				want := marketplace.Details{
					Brand: "Kleibakker", Weight: "1.85", Height: "19.5", Diameter: "20", CaseQuantity: "4", MadeIn: "PT",
					LeadTime: "DAYS_3", Tags: []string{"HANDMADE"}, Materials: []string{"TERRACOTTA"},
				}
				if diff := cmp.Diff(want, l.BySKU[l.Variants[0].SKU]); diff != "" {
					t.Errorf("details of the first variant (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// The product's own size counts for its variants. With details switched off none are asked for.
func TestDetailsOfTheProduct(t *testing.T) {
	for _, on := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			read := detailed(t, sandbox.Options{}, marketplace.Config{Details: on}, "one-variant")
			l, err := read()
			if err != nil {
				t.Fatal(err)
			}
			var want marketplace.Details
			if on {
				want = marketplace.Details{Brand: "Halmveld", Weight: "0.32", Length: "31.5", Width: "8", Height: "5"}
			}
			if diff := cmp.Diff(want, l.Size); diff != "" || l.Details != on {
				t.Errorf("details known: %t, want %t (-want +got):\n%s", l.Details, on, diff)
			}
		})
	}
}

// Where the schema cannot be read, an objection names the setting that says what differs.
func TestAdvice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := sandbox.Options{NoIntrospection: true, Lacks: []string{"ProductVariant.diameter"}}
		_, err := detailed(t, o, marketplace.Config{Details: true}, "planter")()
		if marketplace.KindOf(err) != marketplace.Invalid || !strings.Contains(err.Error(), marketplace.FormsSetting) {
			t.Errorf("got %v, want an objection that names %s", err, marketplace.FormsSetting)
		}
	})
}

// Pictures are asked for as they are, or in the way that does not crop where there is one.
func TestPictures(t *testing.T) {
	for _, tt := range []struct {
		name    string
		o       sandbox.Options
		want    marketplace.Picture
		address string // how it ends
	}{
		{"uncropped", sandbox.Options{}, marketplace.Picture{Method: marketplace.Uncropped}, ".png"},
		{
			"uncropped, where there is FIT",
			sandbox.Options{Schema: [][2]string{{"  FILL\n", "  FILL\n  FIT\n"}}},
			marketplace.Picture{Method: marketplace.Uncropped, Size: 800},
			"height=800&method=fit&width=800",
		},
		{
			"uncropped, of a schema that cannot be read",
			sandbox.Options{NoIntrospection: true},
			marketplace.Picture{Method: marketplace.Uncropped},
			".png",
		},
		{
			"without originals",
			sandbox.Options{Lacks: []string{"Image.originalUrl"}},
			marketplace.Picture{Method: marketplace.Uncropped},
			"height=1200&method=fill&width=1200",
		},
		{"a method", sandbox.Options{}, marketplace.Picture{Method: "CROP", Size: 300}, "height=300&method=crop&width=300"},
		{
			"a method by its name",
			sandbox.Options{Schema: [][2]string{{"method: ImageMethod", "method: String"}}, NoIntrospection: true},
			marketplace.Picture{Method: "CROP", Size: 300},
			"height=300&method=crop&width=300",
		},
		{"a method that is not there", sandbox.Options{}, marketplace.Picture{Method: "FIT"}, ".png"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := marketplace.Config{Pictures: tt.want}
				if tt.name == "a method by its name" {
					c.Forms = saying(t, "method=String")
				}
				read := detailed(t, tt.o, c, "planter")
				l, err := read()
				if err != nil {
					t.Fatal(err)
				}
				if len(l.Images) != 3 || !strings.HasSuffix(l.Images[0], tt.address) {
					t.Errorf("addresses: got %v, want three that end in %s", l.Images, tt.address)
				}
			})
		})
	}
}
