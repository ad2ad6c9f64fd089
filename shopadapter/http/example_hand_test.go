package httpshop

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// What the owner of the example changes by hand is told, and stays until somebody asks for it.
func TestExampleServerKeepsWhatItsOwnerChanged(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the example server is written for Node, and there is no node here")
	}
	dir := t.TempDir()
	base, stop := startExample(t, node, dir)
	open := func() *adapter {
		t.Helper()
		a, err := open(shopadapter.Options{
			Settings:   map[string]string{"URL": base, "TOKEN": "s3cret"},
			HTTPClient: &http.Client{Timeout: 10 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	p := laws.Sample("p1", 2)
	ref := shopadapter.Ref{Publication: "p1"}
	put := func(a *adapter, ref shopadapter.Ref) shopadapter.Listing {
		t.Helper()
		l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	expect := func(a *adapter, step string, edited shopadapter.Fields, onSale bool) {
		t.Helper()
		all, err := observe(t, a, shopadapter.Query{Refs: []shopadapter.Ref{ref}})
		if err != nil || len(all) != 1 || len(all[0].Variants) != 2 {
			t.Fatalf("%s: got %+v, %v, want one listing of two variants", step, all, err)
		}
		if all[0].Edited != edited {
			t.Errorf("%s: edited: got %s, want %s", step, all[0].Edited, edited)
		}
		if got := all[0].Variants[1].OnSale; got != onSale {
			t.Errorf("%s: the second variant is on sale: got %t, want %t", step, got, onSale)
		}
	}
	shop := open()
	ref.Listing = put(shop, ref).ID
	put(shop, shopadapter.Ref{Publication: "p2"})
	expect(shop, "as it was written", shopadapter.NoFields, true)

	stop()
	changeByHand(t, filepath.Join(dir, "shop.json"), map[string]any{"title": "Our own"}, map[string]any{"off": true})
	base, stop = startExample(t, node, dir)
	defer stop()
	shop = open()
	expect(shop, "by hand", shopadapter.FieldTitle, false)
	p.Title, p.Variants[1].Quantity = "The supplier's next", 77
	if kept := put(shop, ref).Kept; kept != shopadapter.FieldTitle {
		t.Errorf("kept by a PUT: got %s, want %s", kept, shopadapter.FieldTitle)
	}
	expect(shop, "after a PUT", shopadapter.FieldTitle, false)
	ref.Reset, ref.Revive = shopadapter.TextFields, true
	if kept := put(shop, ref).Kept; kept != shopadapter.NoFields {
		t.Errorf("kept where it is given back: got %s, want none", kept)
	}
	expect(shop, "given back", shopadapter.NoFields, true)
}

// changeByHand changes members of the first product in a file, and of its second variant.
func changeByHand(t *testing.T, file string, product, variant map[string]any) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var shop struct {
		Next     int      `json:"next"`
		Products [][2]any `json:"products"`
	}
	if err := json.NewDecoder(bytes.NewReader(data)).Decode(&shop); err != nil {
		t.Fatal(err)
	}
	first := shop.Products[0][1].(map[string]any)
	for name, value := range product {
		first[name] = value
	}
	second := first["variants"].([]any)[1].(map[string]any)
	for name, value := range variant {
		second[name] = value
	}
	if data, err = json.Marshal(shop); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
