// Package vendureserver runs a real Vendure on loopback for tests, and plays the shop's owner in it.
//
// [Start] boots the server that the fixture of the end-to-end tests installs: one node process with
// an in-memory database. It gives an empty shop with a tax zone, EUR prices that include tax, and the
// languages en and nl. An [Office] is the owner's side: a client of its own that has nothing in
// common with the adapter's. Only tests import this package.
package vendureserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
)

// EnvDir is the environment variable that names the folder in which the fixture is installed.
const EnvDir = "PUBSYNC_TEST_VENDURE"

// Options vary the shop that Start boots.
type Options struct {
	WithoutCustomFields bool   // as a Vendure is before its owner has added pubsync's lines
	TidiesText          bool   // a plugin rewrites the descriptions of products
	TokenMethod         string // authOptions.tokenMethod, joined by commas; "" is bearer,cookie
}

// A Server is a running Vendure.
type Server struct {
	*nodeserver.Server
	*Office
	Username string // the superadmin's
	Password string
}

// startPatience is how long a Vendure may take to be ready. It takes three seconds on an idle
// machine.
const startPatience = 4 * time.Minute

// Start boots the Vendure installed in dir and sets its shop up. Stop ends it; so does the end of
// ctx.
func Start(ctx context.Context, dir string, o Options) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("start vendure: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@vendure", "core")); err != nil {
		return nil, fmt.Errorf("no Vendure is installed in %s (shopadapter/vendure/e2e/install.sh does): %w", dir, err)
	}
	s := &Server{Username: "owner", Password: "owner-" + rand.Text()}
	env := []string{
		"NODE_ENV=test", "VENDURE_DISABLE_TELEMETRY=1", "SHOP_USERNAME=" + s.Username, "SHOP_PASSWORD=" + s.Password,
		"SHOP_TOKEN_METHOD=" + o.TokenMethod,
	}
	if o.WithoutCustomFields {
		env = append(env, "SHOP_WITHOUT_CUSTOM_FIELDS=1")
	}
	if o.TidiesText {
		env = append(env, "SHOP_TIDIES_TEXT=1")
	}
	s.Server, err = nodeserver.Start(ctx, nodeserver.Command{
		Name: "vendure", Dir: dir, Script: filepath.Join(dir, "shop.cjs"), Env: env, Patience: startPatience,
	})
	if err != nil {
		return nil, err
	}
	s.Office = &Office{origin: s.URL, username: s.Username, password: s.Password}
	if err := s.setUp(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("set up the shop: %w", err)
	}
	return s, nil
}

// setUp makes what a new Vendure lacks for selling.
func (s *Server) setUp(ctx context.Context) error {
	zone, err := ask[struct{ CreateZone node }](
		ctx, s.Office, `mutation { createZone(input: { name: "Europe" }) { id } }`, nil,
	)
	if err != nil {
		return err
	}
	for _, document := range []string{
		`mutation { updateGlobalSettings(input: { availableLanguages: [en, nl, de] }) { __typename } }`,
		`mutation ($zone: ID!) { updateChannel(input: {
			id: "1", defaultTaxZoneId: $zone, defaultShippingZoneId: $zone, pricesIncludeTax: true,
			availableLanguageCodes: [en, nl], defaultCurrencyCode: EUR }) { __typename ... on ErrorResult { message } } }`,
		`mutation { createTaxCategory(input: { name: "Standard", isDefault: true }) { id } }`,
		`mutation ($zone: ID!) {
			createTaxRate(input: { name: "Standard", enabled: true, value: 21, categoryId: "1", zoneId: $zone }) { id } }`,
	} {
		if err := s.Do(ctx, document, Vars{"zone": zone.CreateZone.ID}); err != nil {
			return err
		}
	}
	return nil
}
