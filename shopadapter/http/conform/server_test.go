package conform_test

import (
	"context"
	"errors"
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
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// TestExampleServersKeepTheLaws holds each of the examples in other languages to the laws.
func TestExampleServersKeepTheLaws(t *testing.T) {
	if os.Getenv("PUBSYNC_TEST_EXAMPLES") == "" {
		t.Skip("it runs servers in node, Python and PHP: PUBSYNC_TEST_EXAMPLES=yes holds them to the laws")
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
			expect(t, run(t, endpoint(address)))
			expectAtHand(t, address, func() { kill(); kill = start() })
		})
	}
}

// expectAtHand holds an example to what no law sees of an endpoint. It refuses what cannot be sold, a
// draft has no page until its owner puts it on sale, whatever figures come for it, and the page shows
// brand, EAN and details as they were last written. Started anew it knows its products, and one that its owner
// deleted stays so until it is asked for.
func expectAtHand(t *testing.T, address string, restart func()) {
	t.Helper()
	shop, err := shopadapter.Open(httpshop.Name, shopadapter.Options{
		Settings: map[string]string{"URL": address, "TOKEN": token}, HTTPClient: client(),
	})
	if err != nil {
		t.Fatal(err)
	}
	bad := laws.Sample("refused", 2)
	bad.Variants[1].Price = "0.00"
	l, err := shop.Publish(t.Context(), shopadapter.Ref{Publication: bad.ID}, bad, shopadapter.AllFields)
	if err != nil || len(l.Refused) != 1 || l.Refused[bad.Variants[1].ID] == "" {
		t.Errorf("a variant without a price: got %+v, %v, want it refused", l, err)
	}
	bad.ID, bad.Title = "untitled", ""
	_, err = shop.Publish(t.Context(), shopadapter.Ref{Publication: bad.ID}, bad, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Rejected {
		t.Errorf("no title: got %v, want it rejected", err)
	}

	const (
		figures  = shopadapter.FieldPrice | shopadapter.FieldStock
		detailed = laws.DetailGroups | shopadapter.FieldVariants
	)
	bare, ref := laws.Sample("at hand", 2), shopadapter.Ref{Publication: "at hand"}
	bare.Draft = true
	whole := laws.WithDetails(bare, 1)
	texts := []string{whole.Brand, whole.Variants[1].EAN, whole.Variants[1].Weight, "STEEL, LINEN_1"}
	for _, step := range []struct {
		name    string
		product shopadapter.Product
		changed shopadapter.Fields
		page    bool
		shown   bool
	}{
		{"made", whole, shopadapter.AllFields, false, false},
		{"other figures", whole.OnlyFigures(), figures, false, false},
		{"on sale", whole, shopadapter.AllFields, true, true},
		{"another group", bare, shopadapter.FieldTitle, true, true},
		{"details that are gone", bare, detailed, true, false},
		{"details again", whole, detailed, true, true},
	} {
		if step.name == "on sale" {
			if err := byHand(t.Context(), http.MethodPost, address+"/p/"+string(ref.Listing)); err != nil {
				t.Fatal(err)
			}
		}
		l, err := shop.Publish(t.Context(), ref, step.product, step.changed)
		if want := step.product.Draft && !step.page; err != nil || l.Draft != want {
			t.Fatalf("%s: got a draft: %t, %v, want %t", step.name, l.Draft, err, want)
		}
		ref.Listing, ref.State = l.ID, l.State
		res, err := client().Get(address + "/p/" + string(l.ID))
		if err != nil {
			t.Fatal(err)
		}
		page, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if (res.StatusCode == http.StatusOK) != step.page {
			t.Errorf("%s: got %s, want the page: %t", step.name, res.Status, step.page)
		}
		for _, text := range texts {
			if shown := strings.Contains(string(page), text); shown != step.shown {
				t.Errorf("%s: %q on the page: got %t, want %t", step.name, text, shown, step.shown)
			}
		}
	}
	restart()
	if l, err := shop.Publish(t.Context(), ref, whole, shopadapter.AllFields); err != nil || l.ID != ref.Listing {
		t.Errorf("started anew: got %s, %v, want %s", l.ID, err, ref.Listing)
	}
	if err := byHand(t.Context(), http.MethodDelete, address+"/p/"+string(ref.Listing)); err != nil {
		t.Fatal(err)
	}
	if _, err := shop.Publish(t.Context(), ref, whole, shopadapter.AllFields); !errors.Is(err, shopadapter.ErrGone) {
		t.Errorf("deleted by hand: got %v, want it to stay deleted", err)
	}
	ref = shopadapter.Ref{Publication: ref.Publication, Asked: true}
	if _, err := shop.Publish(t.Context(), ref, whole, shopadapter.AllFields); err != nil {
		t.Errorf("asked for: got %v, want it made anew", err)
	}
}

// byHand is how the owner of an example deletes a product by hand, or puts it on sale.
func byHand(ctx context.Context, method, page string) error {
	req, err := http.NewRequestWithContext(ctx, method, page, nil)
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
