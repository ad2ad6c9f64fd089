// The sandbox marketplace does what it is ordered to.

package main_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// A playground is a sandbox that runs as a process of its own, as a plugin's author starts it.
type playground struct {
	t        *testing.T
	process  *process
	address  string
	settings settings
}

func openPlayground(t *testing.T, args ...string) *playground {
	t.Helper()
	p := &playground{
		t:        t,
		process:  launch(t, t.TempDir(), settings{}, append([]string{"sandbox", "--restore-rate", "2000"}, args...)...),
		settings: settings{},
	}
	printed := regexp.MustCompile(`(?m)^(PUBSYNC_[A-Z_]+)=(\S+)$`)
	eventually(t, 10*time.Second, "the settings are printed", func() bool {
		for _, m := range printed.FindAllStringSubmatch(p.process.stdout.String(), -1) {
			p.settings[m[1]] = m[2]
		}
		return len(p.settings) >= 2
	})
	p.address = p.settings["PUBSYNC_MARKETPLACE_URL"]
	if p.address == "" || p.settings["PUBSYNC_MARKETPLACE_TOKEN"] == "" {
		t.Fatalf("the sandbox prints %s", p.process.stdout.String())
	}
	return p
}

// order gives the sandbox an order that it must carry out, and returns the publications that it
// concerned.
func (p *playground) order(args ...string) []string {
	p.t.Helper()
	r := call(p.t, p.t.TempDir(), settings{}, append([]string{"sandbox", "do", "--json", "--at", p.address}, args...)...)
	var done struct{ IDs []string }
	r.decode(p.t, &done)
	if r.code != 0 {
		p.t.Fatalf("sandbox do %v: exit %d, %s", args, r.code, r.stderr)
	}
	return done.IDs
}

// A worker at a sandbox with the settings that it prints has something of each kind happen.
func TestASandboxLives(t *testing.T) {
	t.Parallel()
	channel, admin := freePort(t), freePort(t)
	p := openPlayground(t, "--listen", freePort(t), "--publications", "3", "--webhook",
		"http://"+channel+"/webhooks/"+pathToken)
	shop := openShop(t)
	env := baseSettings(t.TempDir(), "", shop.server.URL).with("ADMIN_LISTEN", admin, "WEBHOOK_LISTEN", channel,
		"WEBHOOK_PATH_TOKEN", pathToken, "WEBHOOK_URL", "http://"+channel+"/webhooks")
	for name, value := range p.settings {
		env[name] = value
	}
	w := launch(t, t.TempDir(), env, "run")
	eventually(t, 15*time.Second, "three products are on sale", func() bool { return shop.onSale() == 3 })
	w.logs("webhook registered") // at a loopback address
	ids := slices.Sorted(maps.Keys(shop.Products()))

	// A signed webhook announces what is imported, the channel's what changes, and no sweep comes
	// meanwhile. Each order is about another publication, since a worker follows unsigned webhooks
	// for one publication once a minute.
	mug := p.order("add", "mug")[0]
	has := func(what, id string, holds func(shoptest.Product) bool) {
		t.Helper()
		eventually(t, 5*time.Second, what, func() bool { s, ok := shop.Products()[id]; return ok && s.OnSale && holds(s) })
	}
	has("an import", mug, func(p shoptest.Product) bool { return strings.HasPrefix(p.Title, "Stoneware mug") })
	price := shop.product(t, ids[0]).Variants[0].Price
	p.order("price", ids[0], "x1.1")
	has("a price", ids[0], func(p shoptest.Product) bool { return p.Variants[0].Price != price })
	p.order("refuse", "--next", "1")
	p.order("relist", p.order("remove", ids[1])[0])
	p.process.logs("is refused: ")
	for _, said := range []string{
		"the retailer imports “Stoneware mug",
		"webhook PUBLICATION_CREATED to http://" + channel, "report success of " + mug,
	} {
		p.process.logs(said)
	}
	w.signal(sigterm)
	w.code(commandBound)

	for _, tt := range []struct {
		order string
		code  int
		says  string
	}{
		{"price nobody 3 --at " + p.address, 2, "no publication"},
		{"heal --at http://" + freePort(t), 3, "no sandbox at"},
		{"heal --at " + shop.server.URL, 3, "is no sandbox"},
	} {
		r := call(t, t.TempDir(), settings{}, append([]string{"sandbox", "do"}, strings.Fields(tt.order)...)...)
		if r.code != tt.code || !strings.Contains(r.stderr, tt.says) {
			t.Errorf("%s: exit %d, %s", tt.order, r.code, r.stderr)
		}
	}
	p.process.signal(sigterm)
	if code := p.process.code(commandBound); code != 0 {
		t.Errorf("exit %d", code)
	}
}
