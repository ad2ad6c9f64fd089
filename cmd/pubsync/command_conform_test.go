// conform tells an endpoint that keeps the protocol from one that does not.

package main_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// Each row is a shop and what is set: the exit code, and what is said. The token is shown nowhere.
func TestConform(t *testing.T) {
	unraced(t)
	t.Parallel()
	refuses := always(problem(422, "you sent Bearer "+shopToken))
	for _, tt := range []struct {
		name string
		rule func(shoptest.Call) shoptest.Reply
		set  []string
		code int
		want string
	}{
		{"a good shop, another adapter is chosen", nil, []string{"SHOP_ADAPTER", "catalog"}, 0, "held     idempotent"},
		{"a shop that takes nothing", refuses, nil, 1, "broken   idempotent"},
		{"a token that is refused", nil, []string{"HTTP_TOKEN", "another-token"}, 4, "PUBSYNC_HTTP_TOKEN"},
		{"nobody there", nil, []string{"HTTP_URL", "http://127.0.0.1:1"}, 4, "the laws cannot be exercised"},
		{"no address", nil, []string{"HTTP_URL", ""}, 2, "PUBSYNC_HTTP_URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shop := openShop(t)
			shop.rules(tt.rule)
			env := settings{}.with("HTTP_URL", shop.server.URL, "HTTP_TOKEN", shopToken).with(tt.set...)
			r := call(t, t.TempDir(), env, "conform")
			said := r.stdout + r.stderr
			if r.code != tt.code || !strings.Contains(said, tt.want) || strings.Contains(said, shopToken) {
				t.Errorf("exit %d, want %d, %q and no token: %s", r.code, tt.code, tt.want, tail(said))
			}
		})
	}
}
