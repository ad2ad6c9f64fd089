package marketplace_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// detailed is a client that reads details, of a marketplace with one product of the catalogue.
func detailed(
	t *testing.T, o sandbox.Options, c marketplace.Config, template string,
) (read func(of marketplace.Expected) *marketplace.Listing, m *sandbox.Marketplace, id string) {
	t.Helper()
	o.BaseURL = "https://market.test"
	m = sandbox.New(o)
	t.Cleanup(m.Close)
	id = m.Add(sandbox.Publication{Listing: sandbox.Named(template).Listing})[0]
	c.URL, c.Token, c.Languages, c.Transport = "https://market.test", sandbox.DefaultToken, []string{
		"en",
	}, m.Transport()
	client := marketplace.New(c)
	t.Cleanup(func() { client.Close() })
	return func(of marketplace.Expected) *marketplace.Listing {
		t.Helper()
		adm, err := client.Admit(t.Context(), marketplace.News)
		if err != nil {
			t.Fatal(err)
		}
		of.ID, of.Details = id, true
		p, err := client.Publication(t.Context(), adm, of)
		if err != nil {
			t.Fatal(err)
		}
		return p.Listing
	}, m, id
}

// The details of a product and of its variants come with the content, whether the schema can be
// read or not.
func TestDetails(t *testing.T) {
	for name, o := range map[string]sandbox.Options{
		"introspected": {}, "assumed": {NoIntrospection: true}, "in pages": {Limit: 100, RestoreRate: 50},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read, _, _ := detailed(t, o, marketplace.Config{Details: true}, "planter")
				l := read(marketplace.Expected{})
				if l.Brand != "Kleibakker" {
					t.Errorf("brand: got %q, want Kleibakker", l.Brand)
				}
				if len(l.BySKU) != 4 {
					t.Errorf("variants with details: got %d, want 4", len(l.BySKU))
				}
				want := marketplace.Details{
					Brand: "Kleibakker", Weight: "1.85", Height: "19.5", Diameter: "20", CaseQuantity: "4", MadeIn: "PT",
					LeadTime: "DAYS_3", Tags: []string{"HANDMADE"}, Materials: []string{"TERRACOTTA"},
				}
				if diff := cmp.Diff(want, l.BySKU[l.Variants[0].SKU]); diff != "" {
					t.Errorf("details of the first variant (-want +got):\n%s", diff)
				}
				if len(l.Unread) > 0 {
					t.Errorf("unread: got %v, want nothing", l.Unread)
				}
			})
		})
	}
}

func TestDetailsOfTheProduct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, _, _ := detailed(t, sandbox.Options{}, marketplace.Config{Details: true}, "one-variant")
		l := read(marketplace.Expected{})
		want := marketplace.Details{Brand: "Halmveld", Weight: "0.32", Length: "31.5", Width: "8", Height: "5"}
		if diff := cmp.Diff(want, l.Size); diff != "" {
			t.Errorf("size (-want +got):\n%s", diff)
		}
	})
}

// With details switched off, a request asks for none of them.
func TestNoDetails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		read, _, _ := detailed(t, sandbox.Options{}, marketplace.Config{}, "planter")
		l := read(marketplace.Expected{})
		if l.Details {
			t.Error("details: got known, want unknown")
		}
		if l.Brand != "" {
			t.Errorf("brand: got %q, want none", l.Brand)
		}
	})
}

// What a schema has not is left out, and the rest of the details is read. Where the schema cannot
// be read, the objection says what to set.
func TestDetailsThatTheSchemaLacks(t *testing.T) {
	lacks := []string{"ProductVariant.diameter", "Product.weight", "ProductVariant.tags"}
	synctest.Test(t, func(t *testing.T) {
		read, _, _ := detailed(t, sandbox.Options{Lacks: lacks}, marketplace.Config{Details: true}, "planter")
		l := read(marketplace.Expected{})
		first := l.BySKU[l.Variants[0].SKU]
		if first.Weight != "1.85" {
			t.Errorf("weight: got %q, want 1.85", first.Weight)
		}
		if first.Diameter != "" {
			t.Errorf("diameter: got %q, want none", first.Diameter)
		}
		if len(l.Unread) > 0 {
			t.Errorf("unread: got %v, want nothing", l.Unread)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		m := sandbox.New(sandbox.Options{BaseURL: "https://market.test", Lacks: lacks, NoIntrospection: true})
		t.Cleanup(m.Close)
		id := m.Add(sandbox.Publication{Listing: sandbox.Named("planter").Listing})[0]
		c := marketplace.New(marketplace.Config{
			URL: "https://market.test", Token: sandbox.DefaultToken, Languages: []string{"en"}, Details: true,
			Transport: m.Transport(),
		})
		t.Cleanup(func() { c.Close() })
		_, err := next(t, c, id, 0)
		if marketplace.KindOf(err) != marketplace.Invalid ||
			!strings.Contains(err.Error(), "PUBSYNC_PRODUCT_DETAILS=off") {
			t.Errorf("got %v, want an objection that says what to set", err)
		}
	})
}

// A product is whole without details that are denied.
func TestDetailsThatAreDenied(t *testing.T) {
	for name, o := range map[string]sandbox.Options{
		"introspected": {Denied: []string{"Product.variants"}},
		"assumed":      {Denied: []string{"Product.variants"}, NoIntrospection: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read, m, _ := detailed(t, o, marketplace.Config{Details: true}, "planter")
				l := read(marketplace.Expected{})
				if !slices.Contains(l.Unread, marketplace.UnreadDetails) {
					t.Errorf("unread: got %v, want the details among them", l.Unread)
				}
				if len(l.Variants) != 4 {
					t.Errorf("variants: got %d, want 4", len(l.Variants))
				}
				before := len(m.Requests())
				read(marketplace.Expected{})
				if n := len(m.Requests()) - before; n != 1 {
					t.Errorf("requests of the next reading: got %d, want 1", n)
				}
			})
		})
	}
}

// Pictures are asked for as they are, or in the way that does not crop where there is one.
// A product that is denied leaves a listing with all else of it, in each reading, and says that its
// details could not be read.
func TestAProductThatIsDenied(t *testing.T) {
	for name, o := range map[string]sandbox.Options{
		"introspected": {Denied: []string{"Listing.product"}},
		"assumed":      {Denied: []string{"Listing.product"}, NoIntrospection: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read, m, _ := detailed(t, o, marketplace.Config{Details: true}, "planter")
				for range 4 {
					before := len(m.Requests())
					l := read(marketplace.Expected{})
					if !slices.Contains(l.Unread, marketplace.UnreadDetails) {
						t.Errorf("unread: got %v, want the details among them", l.Unread)
					}
					if len(l.Variants) != 4 || len(l.Translations) == 0 {
						t.Errorf("got %d variants and %d translations, want 4 and some", len(l.Variants), len(l.Translations))
					}
					if n := len(m.Requests()) - before; n > 2 {
						t.Errorf("requests of a reading: got %d, want 2 at most", n)
					}
					time.Sleep(30 * time.Minute)
				}
			})
		})
	}
}

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
			sandbox.Options{StringImageMethod: true, NoIntrospection: true},
			marketplace.Picture{Method: "CROP", Size: 300},
			"height=300&method=crop&width=300",
		},
		{"a method that is not there", sandbox.Options{}, marketplace.Picture{Method: "FIT"}, ".png"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := marketplace.Config{Pictures: tt.want}
				if tt.o.StringImageMethod {
					c.Forms = saying(t, "method=String")
				}
				read, _, _ := detailed(t, tt.o, c, "planter")
				l := read(marketplace.Expected{})
				if len(l.Images) != 3 || !strings.HasSuffix(l.Images[0], tt.address) {
					t.Errorf("addresses: got %v, want three that end in %s", l.Images, tt.address)
				}
			})
		})
	}
}
