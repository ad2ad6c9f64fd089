package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

func TestLaws(t *testing.T) {
	laws.Run(t, func(t *testing.T) laws.Harness {
		t.Parallel()
		s := &owner{t: t, dir: filepath.Join(t.TempDir(), "shop")}
		return laws.Harness{
			Open:         s.open,
			NoTransport:  true,
			Observe:      s.observe,
			Details:      []string{"brand", "ean"},
			Followed:     []string{"ean"},
			EditDetail:   s.editDetail,
			Edit:         s.edit,
			DeleteByHand: s.deleteByHand,
			HideByHand:   s.hideByHand,
			SetPriceByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant, price string) error {
				return s.handle(l, v, func(variant map[string]any) { variant["price"] = price })
			},
			SetQuantityByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant, n int) error {
				return s.handle(l, v, func(variant map[string]any) { variant["quantity"] = n })
			},
			RemoveVariantByHand: func(_ context.Context, l shopadapter.ListingID, v laws.SeenVariant) error {
				return s.handle(l, v, nil)
			},
			AddForeign:       s.addForeign,
			BreakCredentials: s.lock,
			Without: map[string]string{
				"refused-variant":      "a folder takes whatever it is given",
				"refused-product":      "a folder takes whatever it is given",
				"choice":               "a page lists its variants, a row each: a visitor chooses by no option",
				"renamed-choice":       "a page lists its variants, a row each: a visitor chooses by no option",
				"observed-reduction":   "a record has one price: the recommended one beside it is the supplier's",
				"observed-variant-off": "a variant stands in the record or does not: there is no switch",
				"image-once":           "pages link to the supplier's pictures, none is taken in",
				"late-picture":         "pages link to the supplier's pictures, none is taken in",
				"refused-picture":      "pages link to the supplier's pictures, none is taken in",
				"fault-half-way":       "there is no server to answer 429, 5xx or HTML; errors of the disk are in disk_test.go",
				"no-secret":            "there are no credentials",
			},
		}
	})
}

// An owner has the folder on their desk: sees it without the adapter's code, edits it, and takes
// the adapter's right to write away.
type owner struct {
	t   *testing.T
	dir string
	fault
}

// open has a request pass wrap before each change of the disk.
func (s *owner) open(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
	c, _ := openShop(s.t, s.dir)
	steps := wrap(disk{})
	c.step = func(doing string) error {
		if err := s.step(doing); err != nil {
			return err
		}
		req, err := http.NewRequest(http.MethodPut, "http://disk.example/", nil)
		if err == nil {
			_, err = steps.RoundTrip(req) //nolint:bodyclose // it has none
		}
		return err
	}
	return c, nil
}

// A disk takes any step.
type disk struct{}

func (disk) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusNoContent, Body: http.NoBody}, nil
}

func (s *owner) lock() func() {
	return s.set(func(doing string) error { return &fs.PathError{Op: doing, Path: s.dir, Err: syscall.EACCES} })
}

// seenRecord is what stands in a JSON file, read with types of the owner's own.
type seenRecord struct {
	Title, Description string
	Brand              string
	Category           struct{ Path, Name string }
	Images             []string
	Variants           []seenVariant
	Pubsync            *struct{ Publication string }
}

type seenVariant struct {
	ID, SKU, Price string
	Quantity       int
	Backorders     bool
	Options        []struct{ Name, Value string }
	EAN            string
}

func (s *owner) observe(context.Context) ([]laws.Seen, error) {
	paths, err := filepath.Glob(filepath.Join(s.dir, "products", "*.json"))
	if err != nil {
		return nil, err
	}
	var all []laws.Seen
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed between the glob and now
		}
		var r seenRecord
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			return nil, err
		}
		page, err := os.ReadFile(strings.TrimSuffix(path, ".json") + ".html")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		seen := laws.Seen{
			Listing: shopadapter.ListingID(
				strings.TrimSuffix(filepath.Base(path), ".json"),
			), Title: r.Title, Description: r.Description,
			Category: r.Category.Path, Images: slices.Clone(r.Images), OnSale: err == nil,
			Details: map[string]string{"brand": r.Brand},
		}
		if r.Pubsync != nil {
			seen.Publication = shopadapter.PublicationID(r.Pubsync.Publication)
		}
		for _, v := range r.Variants {
			options := map[string]string{}
			for _, o := range v.Options {
				options[o.Name] = o.Value
			}
			shopID := ""
			if id := anchor(v.ID); !seen.OnSale || strings.Contains(string(page), id) || len(r.Variants) == 1 {
				shopID = id
			}
			seen.Variants = append(seen.Variants, laws.SeenVariant{
				ID: v.ID, ShopID: shopID, SKU: v.SKU, Options: options, Price: v.Price, Quantity: v.Quantity,
				Backorders: v.Backorders, Details: map[string]string{"ean": v.EAN},
			})
		}
		all = append(all, seen)
	}
	return all, nil
}

// editDetail writes another brand into the record: all other details follow the supplier.
func (s *owner) editDetail(_ context.Context, listing shopadapter.ListingID, _ laws.SeenVariant, _ string) error {
	return s.rewrite(listing, func(r map[string]any) { r["brand"] = "Mine" })
}

func (s *owner) edit(_ context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	return s.rewrite(listing, func(r map[string]any) {
		switch group {
		case shopadapter.FieldTitle:
			r["title"] = "What I call it"
		case shopadapter.FieldDescription:
			r["description"] = "<p>In my words</p>"
		case shopadapter.FieldImages:
			r["images"] = []string{"https://mine.example.com/a.jpg"}
		case shopadapter.FieldCategory:
			r["category"] = map[string]string{"path": "MINE", "name": "Mine"}
		}
	})
}

// handle changes a variant in the record, as with an editor; nil removes it.
func (s *owner) handle(
	listing shopadapter.ListingID, v laws.SeenVariant, change func(variant map[string]any),
) error {
	return s.rewrite(listing, func(r map[string]any) {
		variants := r["variants"].([]any)
		i := slices.IndexFunc(variants, func(one any) bool { return one.(map[string]any)["id"] == v.ID })
		if change == nil {
			r["variants"] = slices.Delete(variants, i, i+1)
		} else {
			change(variants[i].(map[string]any))
		}
	})
}

// rewrite changes a record, as with an editor.
func (s *owner) rewrite(listing shopadapter.ListingID, change func(record map[string]any)) error {
	path := filepath.Join(s.dir, "products", string(listing)+".json")
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var r map[string]any
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	change(r)
	if data, err = json.Marshal(r); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

func (s *owner) deleteByHand(_ context.Context, listing shopadapter.ListingID) error {
	return os.Remove(filepath.Join(s.dir, "products", string(listing)+".json"))
}

// hideByHand removes the page, and leaves the record.
func (s *owner) hideByHand(_ context.Context, listing shopadapter.ListingID) error {
	return os.Remove(filepath.Join(s.dir, "products", string(listing)+".html"))
}

// addForeign puts a file that another tool made where the product's record would be.
func (s *owner) addForeign(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	name := fileName(p.ID)
	if err := os.MkdirAll(filepath.Join(s.dir, "products"), 0o755); err != nil {
		return "", err
	}
	data, err := json.Marshal(p)
	if err != nil {
		return "", err
	}
	return shopadapter.ListingID(name), errors.Join(
		os.WriteFile(filepath.Join(s.dir, "products", name+".json"), data, 0o644),
		os.WriteFile(
			filepath.Join(s.dir, "products", name+".html"), []byte("<!doctype html><title>mine</title>"), 0o644,
		),
	)
}
