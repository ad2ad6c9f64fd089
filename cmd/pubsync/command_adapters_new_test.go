// adapters new writes a module that builds, keeps the laws and runs.

package main_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/internal/newadapter/template/toyshop"
)

// TestANewAdapterBuildsKeepsTheLawsAndRuns writes a module, as a plugin's author does, and uses it
// without a network.
func TestANewAdapterBuildsKeepsTheLawsAndRuns(t *testing.T) {
	long(t)
	t.Parallel()
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tool := func(dir, name string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), name, args...)
		// what is set for the tests themselves is no setting of the program
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PUBSYNC_") })
		cmd.Dir, cmd.Env = dir, append(cmd.Env, "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	// The guide's own commands, but for the name, and with this source in place of a release.
	within := t.TempDir()
	const module = "github.com/pubsync/pubsync"
	local := "sed 's,^module .*,module example.com/pubsync-tea-shop,' " + repository + "/go.mod >go.mod\n" +
		"cp " + repository + "/go.sum .\n" +
		"go mod edit -require=" + module + "@v0.0.0 -replace=" + module + "=" + repository
	// The template's own package is held to all laws.
	script := strings.NewReplacer("pubsync adapters", binary+" adapters", "myshop", "tea-shop", "go mod tidy", local,
		"go test ./...", "go test -v -run TestLaws/lost-answer ./...")
	for _, block := range blocks(t, guide, "sh") {
		if !strings.Contains(block, "pubsync adapters new") {
			continue
		}
		out := tool(within, "sh", "-ec", script.Replace(block))
		if !strings.Contains(out, "--- PASS: TestLaws/lost-answer") || strings.Contains(out, "FAIL") {
			t.Errorf("the laws: %s", tail(out))
		}
	}
	dir := filepath.Join(within, "tea-shop")
	program := filepath.Join(t.TempDir(), "tea-pubsync")
	tool(dir, "go", "build", "-ldflags=-s -w", "-o", program, ".")
	if out := tool(dir, "gofmt", "-l", "."); out != "" {
		t.Errorf("gofmt would change %s", out)
	}
	if out := tool(dir, "grep", "-rilc", "teashop", "."); strings.Count(out, "\n") < 5 {
		t.Errorf("the new name stands only in %s", out)
	}
	if out, err := exec.Command("grep", "-ril", "myshop", dir).Output(); err == nil {
		t.Errorf("these hold the name of the model: %s", out)
	}

	shop := &toyshop.Shop{Token: "let-me-in", Products: map[string]json.RawMessage{}}
	server := httptest.NewServer(shop)
	defer server.Close()
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"version"}, "pubsync "},
		{[]string{"adapters"}, "tea-shop"},
		{[]string{"adapters", "tea-shop"}, "PUBSYNC_TEA_SHOP_TOKEN"},
		{[]string{"adapters", "--env"}, "#PUBSYNC_TEA_SHOP_URL=http://127.0.0.1:9470"},
		{[]string{"demo", "--adapter", "tea-shop", "--once"}, "created"},
	} {
		cmd := exec.CommandContext(t.Context(), program, tt.args...)
		cmd.Dir, cmd.Env = t.TempDir(),
			[]string{"TMPDIR=" + t.TempDir(), "PUBSYNC_TEA_SHOP_TOKEN=let-me-in", "PUBSYNC_TEA_SHOP_URL=" + server.URL}
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), tt.says) {
			t.Errorf("%v: %v, %q is wanted: %s", tt.args, err, tt.says, tail(string(out)))
		}
		if strings.Contains(string(out), "WOOCOMMERCE") {
			t.Errorf("%v: an adapter that was not imported: %s", tt.args, tail(string(out)))
		}
	}
	shop.Lock()
	defer shop.Unlock()
	sold := 0
	for _, product := range shop.Products {
		sold += strings.Count(string(product), `"OnSale":true`)
	}
	if sold < 25 {
		t.Errorf("%d of %d products in the toy shop are on sale, want 25 or more", sold, len(shop.Products))
	}
}
