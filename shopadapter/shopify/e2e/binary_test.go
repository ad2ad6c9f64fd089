package e2e_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/shopify/internal/shopifyserver"
)

// TestBinary imports a whole list with the built program: doctor, a run, and another after the
// store was lost.
func TestBinary(t *testing.T) {
	t.Parallel()
	server := boot(t)
	shop := server.Open(t, nil)
	dir := t.TempDir()
	program := filepath.Join(dir, "pubsync")
	if out, err := exec.CommandContext(
		t.Context(), "go", "build", "-o", program, "../../../cmd/pubsync",
	).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := append(
		sandbox(t, program),
		"PUBSYNC_SHOP_ADAPTER=shopify",
		"PUBSYNC_ADMIN_LISTEN=off",
		"PUBSYNC_LOG_LEVEL=warn",
	)
	for name, value := range shop.Settings() {
		env = append(env, "PUBSYNC_SHOPIFY_"+name+"="+value)
	}
	run := func(store string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, args...)
		c.Env = append(env, "PATH="+os.Getenv("PATH"), "HOME="+dir, "PUBSYNC_STORE_PATH="+filepath.Join(dir, store))
		c.Stderr = &strings.Builder{}
		out, err := c.Output()
		// 1 says that some publication is not on sale: the sandbox's list has such.
		if err != nil && c.ProcessState.ExitCode() != 1 {
			t.Fatalf("pubsync %s: %v\n%s\n%s", strings.Join(args, " "), err, out, c.Stderr)
		}
		return string(out)
	}
	if out := run("first.db", "doctor"); !strings.Contains(out, "shopify takes products") {
		t.Errorf("doctor says:\n%s", out)
	}
	var first, second struct {
		Created, Rejected, Blocked, Pending int
		Error                               string
	}
	if err := json.Unmarshal([]byte(run("first.db", "run", "--once", "--json", "--patience", "20s")), &first); err != nil {
		t.Fatal(err)
	}
	if first.Created < 20 || first.Blocked > 0 || first.Error != "" {
		t.Errorf("the first run: %+v", first)
	}
	before := onSale(t, shop, first.Created)
	if err := json.Unmarshal(
		[]byte(run("second.db", "run", "--once", "--json", "--patience", "20s")), &second,
	); err != nil {
		t.Fatal(err)
	}
	after := onSale(t, shop, first.Created)
	for id := range before {
		if !after[id] {
			t.Errorf("product %s is gone after the run on an empty store", id)
		}
	}
	fetchedOnce(t, shop)
	innocent(t, shop)
}

// fetchedOnce makes sure that the shop shows every picture that it fetched: one that was fetched
// twice is shown once. On a busy machine a picture comes late, so the counts get a while to agree.
func fetchedOnce(t *testing.T, shop *shopifyserver.Shop) {
	t.Helper()
	taken, shown := 0, 0
	for range 20 {
		products, err := shop.Products(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		shown = 0
		for _, p := range products {
			for _, m := range p.Media {
				if m.Status == "READY" {
					shown++
				}
			}
		}
		if taken = shop.State().Taken; taken == shown && shown > 0 {
			return
		}
		time.Sleep(500 * time.Millisecond)
	}
	t.Errorf("the shop fetched %d pictures and shows %d", taken, shown)
}

// onSale are the ids of the shop's products, all of which must be on sale.
func onSale(t *testing.T, shop *shopifyserver.Shop, want int) map[string]bool {
	t.Helper()
	products, err := shop.Products(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, p := range products {
		ids[p.ID] = true
		if !p.OnSale {
			t.Errorf("%s is not on sale", p.Title)
		}
	}
	if len(ids) != want {
		t.Errorf("the shop has %d products, not %d", len(ids), want)
	}
	return ids
}

// sandbox starts a marketplace and returns the settings that point at it.
func sandbox(t *testing.T, program string) []string {
	t.Helper()
	c := exec.CommandContext(t.Context(), program, "sandbox", "--listen", "127.0.0.1:0", "--restore-rate", "1000")
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
	var settings []string
	for lines := bufio.NewScanner(out); len(settings) < 2 && lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "PUBSYNC_") {
			settings = append(settings, lines.Text())
		}
	}
	return settings
}
