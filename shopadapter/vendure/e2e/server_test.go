package e2e_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
)

// envDir is the environment variable that names the folder in which the fixture is installed.
const envDir = "PUBSYNC_TEST_VENDURE"

// A Server is a running Vendure: one node process with an in-memory database. Its shop is empty, and
// has a tax zone, EUR prices that include tax, and the languages en and nl.
type Server struct {
	*nodeserver.Server
	*Office
}

// boot starts a Vendure that ends with ctx, or skips the test where none is installed. env varies
// the shop, see fixture/shop.cjs.
func boot(ctx context.Context, t *testing.T, env ...string) *Server {
	t.Helper()
	dir, err := filepath.Abs(os.Getenv(envDir))
	if os.Getenv(envDir) == "" || err != nil {
		t.Skipf("%s does not name a folder in which install.sh has installed a Vendure", envDir)
	}
	for _, name := range []string{"shop.cjs", "package-lock.json"} {
		installed, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if wanted, err := os.ReadFile("fixture/" + name); err != nil || string(installed) != string(wanted) {
			t.Fatalf("%s in %s is not the one of this repository: run install.sh again (%v)", name, dir, err)
		}
	}
	s := &Server{Office: &Office{username: "owner", password: "owner-" + rand.Text()}}
	s.Server, err = nodeserver.Start(ctx, nodeserver.Command{
		Name: "vendure", Dir: dir, Script: filepath.Join(dir, "shop.cjs"), Patience: 4 * time.Minute,
		Env: append(env, "NODE_ENV=test", "VENDURE_DISABLE_TELEMETRY=1", "SHOP_USERNAME="+s.username,
			"SHOP_PASSWORD="+s.password),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of Vendure's output:\n%s", s.Output())
		}
	})
	s.origin = s.URL
	if err := s.setUp(ctx); err != nil {
		s.Stop()
		t.Fatalf("set up the shop: %v", err)
	}
	return s
}

// setUp makes what a new Vendure lacks for selling.
func (s *Server) setUp(ctx context.Context) error {
	zone, err := ask[struct{ CreateZone node }](
		ctx, s.Office, `mutation { createZone(input: { name: "Europe" }) { id } }`, nil,
	)
	for _, document := range []string{
		`mutation { updateGlobalSettings(input: { availableLanguages: [en, nl, de] }) { __typename } }`,
		`mutation ($zone: ID!) { updateChannel(input: {
			id: "1", defaultTaxZoneId: $zone, defaultShippingZoneId: $zone, pricesIncludeTax: true,
			availableLanguageCodes: [en, nl], defaultCurrencyCode: EUR }) { __typename ... on ErrorResult { message } } }`,
		`mutation { createTaxCategory(input: { name: "Standard", isDefault: true }) { id } }`,
		`mutation ($zone: ID!) {
			createTaxRate(input: { name: "Standard", enabled: true, value: 21, categoryId: "1", zoneId: $zone }) { id } }`,
	} {
		if err == nil {
			err = s.Do(ctx, document, vars{"zone": zone.CreateZone.ID})
		}
	}
	return err
}
