package setup

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/fleet"
)

// An account whose file is half written keeps its id. Meanwhile a webhook of an id that is not known is
// refused, so that it comes again: an acknowledged one would be lost.
func TestAHalfWrittenFileLosesNoWebhook(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(folder, name+".env"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const text = "PUBSYNC_MARKETPLACE_URL=https://m.example\nPUBSYNC_MARKETPLACE_TOKEN=token-token\n" +
		"PUBSYNC_SHOP_ADAPTER=http\nPUBSYNC_HTTP_URL=https://s.example\nPUBSYNC_ACCOUNT_ID="
	write("a", text+"1")
	env, err := config.Read([]string{
		"PUBSYNC_ACCOUNTS_DIR=" + folder, "PUBSYNC_STORE_URL=postgres://127.0.0.1:1/none",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, _ := New(env, config.ToLook, "test")
	log := slog.New(slog.DiscardHandler)
	h := &house{
		Setup: c, env: env, log: log, logOf: func(*Setup) *slog.Logger { return log }, own: engine.NewMetrics(),
		fleet: fleet.New(fleet.Options{}), worked: map[string]*account{},
		others: map[string]*desk.Memo[struct{}, *account]{},
	}
	status := func(id string) int {
		w := httptest.NewRecorder()
		h.byID(t.Context(), id).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/webhooks", nil))
		return w.Code
	}
	if got := status("2"); got == http.StatusServiceUnavailable {
		t.Errorf("an unknown id while all accounts are known: %d, want another status", got)
	}
	write("a", "PUBSYNC_MARKETPLACE_URL=")
	h.index.last.Load().made = time.Time{}
	if got := status("2"); got != http.StatusServiceUnavailable {
		t.Errorf("an unknown id while an account cannot be read: %d, want 503", got)
	}
	if got := h.known(t.Context(), "1").names["1"]; got != "a" {
		t.Errorf("the id of the half-written account leads to %q, want a", got)
	}
}
