package shopify_test

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestBinary imports a whole list with the built program: doctor, a run, and another after the
// store was lost. It is run where the judge is installed.
func TestBinary(t *testing.T) {
	if os.Getenv(judgeDir) == "" {
		t.Skipf("%s does not name a folder in which e2e/install.sh has installed the judge", judgeDir)
	}
	fake := newFakeShop(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, err := fake.RoundTrip(r)
		if err != nil {
			return
		}
		maps.Copy(w.Header(), answer.Header)
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	program := filepath.Join(dir, "pubsync")
	if out, err := exec.CommandContext(
		t.Context(), "go", "build", "-o", program, "../../cmd/pubsync",
	).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	env := append(marketplace(t, program), "PATH="+os.Getenv("PATH"), "HOME="+dir, "PUBSYNC_SHOP_ADAPTER=shopify",
		"PUBSYNC_ADMIN_LISTEN=off", "PUBSYNC_LOG_LEVEL=warn")
	for name, value := range settings("URL", server.URL) {
		env = append(env, "PUBSYNC_SHOPIFY_"+name+"="+value)
	}
	run := func(store string, args ...string) []byte {
		t.Helper()
		c := exec.CommandContext(t.Context(), program, args...)
		c.Env = append(env, "PUBSYNC_STORE_PATH="+filepath.Join(dir, store))
		c.Stderr = &strings.Builder{}
		out, err := c.Output()
		// 1 says that some publication is not on sale: the sandbox's list has such.
		if err != nil && c.ProcessState.ExitCode() != 1 {
			t.Fatalf("pubsync %s: %v\n%s\n%s", strings.Join(args, " "), err, out, c.Stderr)
		}
		return out
	}
	if out := string(run("first.db", "doctor")); !strings.Contains(out, "shopify takes products") {
		t.Errorf("doctor says:\n%s", out)
	}
	var summary struct {
		Created, Rejected, Blocked, Pending int
		Error                               string
	}
	if err := json.Unmarshal(run("first.db", "run", "--once", "--json", "--patience", "20s"), &summary); err != nil {
		t.Fatal(err)
	}
	if summary.Created < 20 || summary.Blocked > 0 || summary.Error != "" {
		t.Errorf("the first run: %+v", summary)
	}
	before := fake.allOnSale(t, summary.Created)
	run("second.db", "run", "--once", "--json", "--patience", "20s")
	after := fake.allOnSale(t, summary.Created)
	for id := range before {
		if !after[id] {
			t.Errorf("product %s is gone after the run on an empty store", id)
		}
	}
	shown := 0
	for _, p := range fake.products {
		shown += len(fake.visible(p))
	}
	if shown == 0 || shown != fake.uploads {
		t.Errorf("the shop fetched %d pictures and shows %d", fake.uploads, shown)
	}
}

// allOnSale are the ids of the shop's products, all of which must be on sale.
func (f *fakeShop) allOnSale(t *testing.T, want int) map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for _, p := range f.products {
		if ids[p.id] = true; !p.onSale() {
			t.Errorf("%s is not on sale", p.title)
		}
	}
	if len(ids) != want {
		t.Errorf("the shop has %d products, not %d", len(ids), want)
	}
	return ids
}

// marketplace starts the sandbox and returns the settings that point at it.
func marketplace(t *testing.T, program string) []string {
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
