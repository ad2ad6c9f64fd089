package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

const address = "https://shop.example.com/range"

// A fault may end an operation of the disk: what it holds is asked before each change.
type fault struct {
	atomic.Pointer[func(doing string) error]
}

func (f *fault) step(doing string) error {
	if step := f.Load(); step != nil {
		return (*step)(doing)
	}
	return nil
}

func (f *fault) set(step func(doing string) error) (stop func()) {
	f.Store(&step)
	return func() { f.Store(nil) }
}

// openShop opens an adapter over a folder. It is not closed, as one whose process dies.
func openShop(t testing.TB, dir string) (*catalog, *fault) {
	t.Helper()
	c, err := open(shopadapter.Options{Settings: map[string]string{"DIR": dir, "URL": address + "/"}})
	if err != nil {
		t.Fatal(err)
	}
	f := &fault{}
	c.step = f.step
	t.Cleanup(func() { // no pass comes after the test
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.owed != nil {
			c.owed.Stop()
		}
	})
	return c, f
}

func closeShop(t testing.TB, c *catalog) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Fatalf("close: got %v, want nil", err)
	}
}

// bench is a product with three variants, complete in every field.
func bench(id string) shopadapter.Product {
	return shopadapter.Product{
		ID: shopadapter.PublicationID(id), ListingID: "l-" + id, ProductID: "p-" + id, Language: "en",
		Title:       "Oak bench & table",
		Description: "<p>Oiled <strong>twice</strong>.</p>",
		Category:    shopadapter.Category{Path: "HOME_GARDEN", Name: "Home & garden"},
		Options:     []string{"Size"},
		Variants: []shopadapter.Variant{
			choice("v1", "S", "99.95", 4), choice("v2", "M", "119.95", 0), choice("v3", "L", "1139.50", 12),
		},
		Images:    []string{"https://img.example.com/1.jpg", "https://img.example.com/2.jpg?w=800&h=800"},
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

// put publishes everything of p.
func put(t testing.TB, c *catalog, p shopadapter.Product) shopadapter.Listing {
	t.Helper()
	listing, err := c.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
	if err != nil {
		t.Fatalf("publish: got %v, want nil", err)
	}
	return listing
}

// calls are the errors of a check and of writes of a product that is not there yet and of one that is.
func calls(t testing.TB, c *catalog) map[string]error {
	t.Helper()
	old := shopadapter.Ref{Publication: "old"}
	changed := bench("old")
	changed.Title = "New"
	_, check := c.Check(t.Context())
	_, creation := c.Publish(t.Context(), shopadapter.Ref{Publication: "new"}, bench("new"), shopadapter.AllFields)
	_, update := c.Publish(t.Context(), old, changed, shopadapter.AllFields)
	return map[string]error{"check": check, "creation": creation, "update": update}
}

func writeFile(t testing.TB, c *catalog, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.abs(path)), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.abs(path), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files lists the folder's files, by path, with their content.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
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
