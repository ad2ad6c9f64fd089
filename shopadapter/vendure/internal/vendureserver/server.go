package vendureserver

import (
	"context"
	"crypto/rand"
	"errors"
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
	TokenMethod         string // authOptions.tokenMethod, joined by commas; "" is bearer,cookie
}

// A Server is a running Vendure.
type Server struct {
	*nodeserver.Server
	Username string // the superadmin's
	Password string
}

// startPatience is how long a Vendure may take to be ready. It takes three seconds on an idle
// machine.
const startPatience = 2 * time.Minute

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
	s.Server, err = nodeserver.Start(ctx, nodeserver.Command{
		Name: "vendure", Dir: dir, Script: filepath.Join(dir, "shop.cjs"), Env: env, Patience: startPatience,
	})
	if err != nil {
		return nil, err
	}
	if err := s.setUp(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("set up the shop: %w", err)
	}
	return s, nil
}

// setUp makes what a new Vendure lacks for selling.
func (s *Server) setUp(ctx context.Context) error {
	office := s.Backoffice()
	var zone struct {
		CreateZone struct {
			ID string `json:"id"`
		} `json:"createZone"`
	}
	if err := office.Query(ctx, `mutation { createZone(input: { name: "Europe" }) { id } }`, nil, &zone); err != nil {
		return err
	}
	variables := map[string]any{"zone": zone.CreateZone.ID}
	for _, step := range []string{
		`mutation { updateGlobalSettings(input: { availableLanguages: [en, nl, de] }) { __typename } }`,
		`mutation ($zone: ID!) { updateChannel(input: {
			id: "1", defaultTaxZoneId: $zone, defaultShippingZoneId: $zone, pricesIncludeTax: true,
			availableLanguageCodes: [en, nl], defaultCurrencyCode: EUR }) { __typename ... on ErrorResult { message } } }`,
		`mutation { createTaxCategory(input: { name: "Standard", isDefault: true }) { id } }`,
		`mutation ($zone: ID!) {
  createTaxRate(input: { name: "Standard", enabled: true, value: 21, categoryId: "1", zoneId: $zone }) { id }
}`,
	} {
		if err := office.Query(ctx, step, variables, nil); err != nil {
			return err
		}
	}
	return nil
}

// Backoffice is the owner's side of this shop.
func (s *Server) Backoffice() *Backoffice {
	return NewBackoffice(s.URL+"/admin-api", s.Username, s.Password, nil)
}

var errNoLogin = errors.New("the shop gave no session")
