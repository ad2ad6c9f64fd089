package conform_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/http/conform"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// TestExampleServersKeepTheLaws holds each of the examples in other languages to the laws.
func TestExampleServersKeepTheLaws(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole book, three times")
	}
	for _, example := range []struct {
		language string
		command  func(port, dir string) []string
	}{
		{"node", func(port, dir string) []string {
			return []string{"../example/server.mjs", port, filepath.Join(dir, "shop.json")}
		}},
		{"python3", func(port, dir string) []string {
			return []string{"../example/server.py", port, filepath.Join(dir, "shop.db")}
		}},
		{"php", func(port, _ string) []string { return []string{"-S", "127.0.0.1:" + port, "../example/server.php"} }},
	} {
		t.Run(example.language, func(t *testing.T) {
			program, err := exec.LookPath(example.language)
			if err != nil {
				t.Skipf("there is no %s on this machine", example.language)
			}
			dir, port := t.TempDir(), freePort(t)
			address := "http://127.0.0.1:" + port
			start := func() (kill func()) {
				cmd := exec.CommandContext(t.Context(), program, example.command(port, dir)...)
				cmd.Env = append(os.Environ(), "SHOP_TOKEN="+token, "SHOP_FILE="+filepath.Join(dir, "shop.json"))
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				answers(t, address+"/health")
				return func() {
					_ = cmd.Process.Kill() //nolint:errcheck // it may have ended
					_ = cmd.Wait()         //nolint:errcheck // it was killed
				}
			}
			kill := start()
			defer func() { kill() }()
			expectDetails(t, address)
			endpoint := conform.Endpoint{
				URL:    address,
				Token:  token,
				Client: client(),
				Restart: func(context.Context) error {
					kill()
					kill = start()
					return nil
				},
				DeleteByHand: func(ctx context.Context, listing string, _ shopadapter.PublicationID) error {
					return deletePage(ctx, address+"/p/"+listing)
				},
			}
			expectDraft(t, address)
			expect(t, run(t, endpoint))
		})
	}
}

// expectDraft has an example make a draft, which no visitor sees, whatever figures come for it, until the
// owner puts it on sale. From then on it stays there.
func expectDraft(t *testing.T, address string) {
	t.Helper()
	shop, err := shopadapter.Open(httpshop.Name, shopadapter.Options{
		Settings: map[string]string{"URL": address, "TOKEN": token}, HTTPClient: client(),
	})
	if err != nil {
		t.Fatal(err)
	}
	p, ref := laws.Sample("draft by hand", 2), shopadapter.Ref{Publication: "draft by hand"}
	p.Draft = true
	listing, err := shop.Publish(t.Context(), ref, p, shopadapter.AllFields)
	if err != nil {
		t.Fatal(err)
	}
	ref.Listing, ref.State = listing.ID, listing.State
	page := address + "/p/" + string(listing.ID)
	seen := func(when string, shown bool) {
		t.Helper()
		res, err := client().Get(page)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close() //nolint:errcheck // only read
		if got := res.StatusCode == http.StatusOK; got != shown {
			t.Errorf("%s: a visitor gets %s, want the page: %t", when, res.Status, shown)
		}
	}
	if !listing.Draft {
		t.Error("made: it is not called a draft")
	}
	seen("made", false)
	figures := shopadapter.FieldPrice | shopadapter.FieldStock
	if _, err = shop.Publish(t.Context(), ref, p.OnlyFigures(), figures); err != nil {
		t.Fatal(err)
	}
	seen("with other figures", false)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close() //nolint:errcheck // it has none
	if res.StatusCode != http.StatusNoContent {
		t.Fatalf("put on sale by hand: got %s, want 204", res.Status)
	}
	if listing, err = shop.Publish(t.Context(), ref, p, shopadapter.AllFields); err != nil {
		t.Fatal(err)
	}
	if listing.Draft {
		t.Error("put on sale by hand: it is called a draft")
	}
	seen("put on sale by hand, then changed", true)
	if _, err := shop.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil {
		t.Fatal(err)
	}
}

// expectDetails publishes a product with brand and details to an example, and looks at its page:
// they are shown, they stay where a change does not name them, and go where it does.
func expectDetails(t *testing.T, address string) {
	t.Helper()
	shop, err := shopadapter.Open(httpshop.Name, shopadapter.Options{
		Settings: map[string]string{"URL": address, "TOKEN": token}, HTTPClient: client(),
	})
	if err != nil {
		t.Fatal(err)
	}
	bare, ref := laws.Sample("details", 2), shopadapter.Ref{Publication: "details"}
	p := laws.WithDetails(bare, 1)
	for _, change := range []struct {
		name    string
		product shopadapter.Product
		changed shopadapter.Fields
		shown   bool
	}{
		{"made", p, shopadapter.AllFields, true},
		{"changed in another group", bare, shopadapter.FieldTitle, true},
		{"without brand and details", bare, laws.DetailGroups | shopadapter.FieldVariants, false},
		{"with them again", p, laws.DetailGroups | shopadapter.FieldVariants, true},
	} {
		listing, err := shop.Publish(t.Context(), ref, change.product, change.changed)
		if err != nil {
			t.Fatal(err)
		}
		ref.Listing, ref.State = listing.ID, listing.State
		page := get(t, address+"/p/"+string(listing.ID))
		for _, text := range []string{p.Brand, p.Variants[1].EAN, p.Variants[1].Weight, "STEEL, LINEN_1"} {
			if shown := strings.Contains(page, text); shown != change.shown {
				t.Errorf("%s: %q on the page: got %t, want %t", change.name, text, shown, change.shown)
			}
		}
	}
	if _, err := shop.Unpublish(t.Context(), ref, shopadapter.Delete); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, address string) string {
	t.Helper()
	res, err := client().Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// deletePage is how the owner of an example deletes a product by hand.
func deletePage(ctx context.Context, page string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodDelete, page, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the shop answered %d", res.StatusCode)
	}
	return nil
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

// answers waits until a server that was started answers.
func answers(t *testing.T, address string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if res, err := http.Get(address); err == nil {
			_ = res.Body.Close()
			return
		}
	}
	t.Fatalf("%s: got no answer, want one", address)
}
