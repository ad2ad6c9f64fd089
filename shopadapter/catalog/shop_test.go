package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

const address = "https://shop.example.com/range"

// newShop opens an adapter over a folder and closes it with the test.
func newShop(t testing.TB, dir string) *catalog {
	t.Helper()
	c, err := open(shopadapter.Options{Settings: map[string]string{"DIR": dir, "URL": address + "/"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("close: got %v, want nil", err)
		}
	})
	return c
}

// setStep has f asked before each change of the disk from now on; nil: nothing.
func setStep(c *catalog, f func(doing string) error) {
	if f == nil {
		c.folder.step.Store(nil)
		return
	}
	c.folder.step.Store(&f)
}

// bench is a product with three variants, complete in every field.
func bench(id string) shopadapter.Product {
	return shopadapter.Product{
		ID: shopadapter.PublicationID(id), ListingID: "l-" + id, ProductID: "p-" + id, Language: "en",
		Title:       "Oak bench & table",
		Description: "<p>Oiled <strong>twice</strong>.</p>",
		Translations: map[string]shopadapter.Translation{
			"en": {Title: "Oak bench & table", Description: "<p>Oiled <strong>twice</strong>.</p>"},
			"nl": {Title: "Eiken bank", Description: "<p>Twee keer geolied.</p>"},
		},
		Category: shopadapter.Category{Path: "HOME_GARDEN", Name: "Home & garden"},
		Options:  []string{"Size"},
		Variants: []shopadapter.Variant{
			choice("v1", "S", "99.95", 4), choice("v2", "M", "119.95", 0), choice("v3", "L", "1139.50", 12),
		},
		Images: []string{"https://img.example.com/1.jpg", "https://img.example.com/2.jpg?w=800&h=800"},
		Shipping: []shopadapter.Shipping{
			{CountryGroup: "NL", FixedCosts: "64.44", VariableCosts: "80.77", EstimatedDays: "3"},
		},
		Returns:   "true",
		UpdatedAt: "2026-11-01T08:00:00Z",
	}
}

func choice(id, size, price string, quantity int) shopadapter.Variant {
	return shopadapter.Variant{
		ID: id, Title: size, SKU: "BENCH-" + size, EAN: "8712345678906", Options: []shopadapter.Option{
			{Name: "Size", Value: size},
		},
		Price: price, Cost: "71.55", Quantity: quantity,
	}
}

// put publishes everything of p and fails the test if that does not work.
func put(t testing.TB, c *catalog, p shopadapter.Product) shopadapter.Listing {
	t.Helper()
	return putRef(t, c, shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
}

func putRef(
	t testing.TB,
	c *catalog,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
) shopadapter.Listing {
	t.Helper()
	listing, err := c.Publish(t.Context(), ref, p, changed)
	if err != nil {
		t.Fatalf("publish: got %v, want nil", err)
	}
	return listing
}

func readFile(t testing.TB, c *catalog, path string) string {
	t.Helper()
	data, err := os.ReadFile(c.folder.abs(path))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func writeFile(t testing.TB, c *catalog, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.folder.abs(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.folder.abs(path), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files lists the folder's files, by path, with their content.
func files(t testing.TB, c *catalog) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(c.folder.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(c.folder.dir, path)
		found[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return found
}

func mustContain(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: got no %q, want it", what, part)
		}
	}
}

func mustLack(t *testing.T, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%s: got %q, want it gone", what, part)
		}
	}
}

func kindOf(err error) shopadapter.Kind {
	if err == nil {
		return -1
	}
	return shopadapter.Explain(err).Kind
}
