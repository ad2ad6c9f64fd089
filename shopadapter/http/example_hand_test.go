package httpshop

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// What the owner of the example changes by hand is told, and stays until somebody asks for it.
func TestExampleServerKeepsWhatItsOwnerChanged(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("the example server is written for Node, and there is no node here")
	}
	file := filepath.Join(t.TempDir(), "shop.json")
	shop, stop := startExample(t, node, file)
	p, ref := laws.Sample("p1", 2), shopadapter.Ref{Publication: "p1"}
	put := func(kept shopadapter.Fields) {
		t.Helper()
		l, err := shop.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if err != nil || l.Kept != kept {
			t.Fatalf("a PUT: got kept %s, %v, want %s", l.Kept, err, kept)
		}
		ref.Listing = l.ID
	}
	expect := func(step string, edited shopadapter.Fields, onSale bool) {
		t.Helper()
		all, err := observe(t, shop, shopadapter.Query{Refs: []shopadapter.Ref{ref}})
		if err != nil || len(all) != 1 || len(all[0].Variants) != 2 {
			t.Fatalf("%s: got %+v, %v, want one listing of two variants", step, all, err)
		}
		if got := all[0].Variants[1].OnSale; all[0].Edited != edited || got != onSale {
			t.Errorf("%s: got %s edited, on sale: %t, want %s, %t", step, all[0].Edited, got, edited, onSale)
		}
	}
	put(shopadapter.NoFields)
	expect("as it was written", shopadapter.NoFields, true)
	stop()
	changeByHand(t, file)
	shop, stop = startExample(t, node, file)
	defer stop()
	expect("by hand", shopadapter.FieldTitle, false)
	p.Title, p.Variants[1].Quantity = "The supplier's next", 77
	put(shopadapter.FieldTitle)
	expect("after a PUT", shopadapter.FieldTitle, false)
	ref.Reset, ref.Revive = shopadapter.TextFields, true
	put(shopadapter.NoFields)
	expect("given back", shopadapter.NoFields, true)
}

// changeByHand gives the first product in a file another title, and switches its second variant off.
func changeByHand(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var shop struct {
		Next     int      `json:"next"`
		Products [][2]any `json:"products"`
	}
	if err := json.Unmarshal(data, &shop); err != nil {
		t.Fatal(err)
	}
	first := shop.Products[0][1].(map[string]any)
	first["title"], first["variants"].([]any)[1].(map[string]any)["off"] = "Our own", true
	if data, err = json.Marshal(shop); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// startExample starts the server on a free port, with an adapter for it.
func startExample(t *testing.T, node, file string) (a *adapter, stop func()) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), node, "example/server.mjs", "0", file)
	cmd.Env = append(os.Environ(), "SHOP_TOKEN=s3cret")
	cmd.Stderr = t.Output()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var base string
	if _, err := fmt.Fscanf(bufio.NewReader(out), "shop at %s", &base); err != nil {
		t.Error(err)
	}
	a, err = open(shopadapter.Options{
		Settings: map[string]string{"URL": base, "TOKEN": "s3cret"}, HTTPClient: &http.Client{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	}
}
