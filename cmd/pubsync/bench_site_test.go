// A site: a sandbox marketplace, a fake shop, and the program between them.

package main_test

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const (
	marketToken = "market-t0ken-of-the-retailer"
	hookSecret  = "hook-s3cret-of-the-app"
	pathToken   = "path-t0ken-of-the-channel"
)

// A site is a marketplace, a shop, and the folder and settings of the program between them.
type site struct {
	t      *testing.T
	market *sandbox.Server
	shop   *shop
	dir    string
	env    settings
}

// open makes a site. Its marketplace hands out points faster than anybody uses them, unless the
// options say otherwise.
func open(t *testing.T, o sandbox.Options) *site {
	t.Helper()
	t.Parallel()
	o.Token, o.Secret = marketToken, hookSecret
	if o.RestoreRate == 0 {
		o.RestoreRate = 20_000
	}
	s := &site{t: t, market: sandbox.Start(o), shop: openShop(t), dir: t.TempDir()}
	t.Cleanup(s.market.Close)
	s.env = baseSettings(s.dir, s.market.URL, s.shop.server.URL)
	return s
}

func baseSettings(dir, market, shop string) settings {
	return settings{}.with("MARKETPLACE_URL", market, "MARKETPLACE_TOKEN", marketToken, "SHOP_ADAPTER", "http", "HTTP_URL",
		shop, "HTTP_TOKEN", shopToken, "STORE_PATH", filepath.Join(dir, "pubsync.db"))
}

func (s *site) set(pairs ...string) { s.env = s.env.with(pairs...) }

func (s *site) call(args ...string) result {
	s.t.Helper()
	return call(s.t, s.dir, s.env, args...)
}

func (s *site) callWith(pairs []string, args ...string) result {
	s.t.Helper()
	return call(s.t, s.dir, s.env.with(pairs...), args...)
}

// ends runs a command that must end with an exit code.
func (s *site) ends(code int, args ...string) result {
	s.t.Helper()
	r := s.call(args...)
	if r.code != code {
		s.t.Fatalf("%v: exit %d, want %d\n%s", args, r.code, code, r.stderr)
	}
	return r
}

// once makes a single run with patience enough for a moment's trouble, and checks that its exit
// code is the one it prints.
func (s *site) once(args ...string) desk.Summary {
	s.t.Helper()
	return s.summaryOf(s.call(slices.Concat([]string{"run", "--once", "--json", "--patience", "10s"}, args)...))
}

func (s *site) summaryOf(r result) desk.Summary {
	s.t.Helper()
	var sum desk.Summary
	r.decode(s.t, &sum)
	if sum.Exit != r.code {
		s.t.Errorf("the summary says exit %d, the process ended with %d", sum.Exit, r.code)
	}
	return sum
}

// imported makes a single run that must end well.
func (s *site) imported(args ...string) desk.Summary {
	s.t.Helper()
	sum := s.once(args...)
	if sum.Exit != 0 {
		s.t.Fatalf("the run ended with %+v", sum)
	}
	return sum
}

// reported is the status of each report of one publication that took effect.
func (s *site) reported(id string) (out []string) {
	for _, r := range s.market.Reports() {
		if r.ID == id && r.Refused == "" {
			out = append(out, r.Status)
		}
	}
	return out
}

func (s *site) prices(id string) []string {
	s.t.Helper()
	var out []string
	for _, v := range s.shop.product(s.t, id).Variants {
		out = append(out, v.Price)
	}
	return out
}

// contentReads is how often each publication's content was read.
func (s *site) contentReads() map[string]int {
	n := map[string]int{}
	for _, r := range s.market.Requests() {
		for _, id := range r.Content {
			n[id]++
		}
	}
	return n
}

func (s *site) add(l *sandbox.Listing) string {
	return s.market.Add(sandbox.Publication{Listing: l})[0]
}

func lamp(n int) *sandbox.Listing {
	return &sandbox.Listing{
		Texts: map[string]sandbox.Text{
			"en": {Title: fmt.Sprintf("Lamp %d", n), Description: "<p>Gives <b>light</b>.</p>"},
			"nl": {Title: fmt.Sprintf("Lamp %d (nl)", n), Description: "<p>Geeft <b>licht</b>.</p>"},
		},
		Category: "HOME_LIVING_LAMPS_TABLE_LAMPS", Returns: new(true),
		Shipping: []sandbox.Shipping{{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", Days: 3}},
		Variants: []sandbox.Variant{
			{SKU: fmt.Sprintf("L%d-R", n), Options: color("Red"), Cost: "10.00", MSRP: "20.00", Quantity: 12},
			{SKU: fmt.Sprintf("L%d-B", n), Options: color("Blue"), Cost: "10.00", MSRP: "20.00", Quantity: 7},
		},
		Pictures: []sandbox.Picture{{URL: "https://pictures.example/1.jpg"}, {URL: "https://pictures.example/2.jpg"}},
	}
}

func color(name string) []sandbox.Option { return []sandbox.Option{{Name: "Color", Value: name}} }

func (s *site) lamps(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = s.add(lamp(i + 1))
	}
	return ids
}

// freePort is a port of the loopback interface that nobody listens on.
func freePort(t testing.TB) string {
	t.Helper()
	for range 1000 {
		address := fmt.Sprint("127.0.0.1:", 10_000+nextPort.Add(1)%20_000)
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close() //nolint:errcheck // it served its purpose
			return address
		}
	}
	t.Fatal("no free port")
	return ""
}

// nextPort counts the ports that freePort gave away, from where this run of the tests begins. They
// lie below those that a system chooses by itself, for connections and for listeners without a
// port: else somebody else has it before a process of the test listens.
var nextPort = func() *atomic.Uint32 {
	n := new(atomic.Uint32)
	n.Store(rand.Uint32N(20_000))
	return n
}()

// storeBytes is the store's file, nil when there is none.
func (s *site) storeBytes() []byte {
	s.t.Helper()
	data, err := os.ReadFile(s.env["PUBSYNC_STORE_PATH"])
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return data
}
