// Package doctor checks all that a worker depends on.
package doctor

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

const (
	timeout     = 30 * time.Second // of a check
	shopTimeout = 3 * time.Minute  // of the shop's check, of several requests
	// between two tries of a throttled check
	throttledWait = 3 * time.Second
)

// A Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // what was found, or what to do
	Code   int    `json:"-"`      // exit code of a failure
}

// A check fails with its code, unless the error has one.
type check struct {
	name  string
	code  int
	needs string // beginnings of variables' names, without prefix
	run   func(*examination, context.Context) (string, error)
}

const (
	asks  = "MARKETPLACE_URL MARKETPLACE_TOKEN OAUTH_CLIENT_SECRET"
	reads = asks + " MARKETPLACE_LANGUAGES"
	open  = desk.ExitStanding // mends itself, or stops no worker
)

var checks = []check{
	{"store", desk.ExitStore, "STORE_", (*examination).checkStore},
	{"disk", desk.ExitStore, "STORE_", (*examination).checkDisk},
	{"token", desk.ExitMarketplace, asks, (*examination).checkToken},
	{"schema", desk.ExitMarketplace, reads, (*examination).checkSchema},
	{"list", desk.ExitMarketplace, asks, (*examination).checkList},
	{"content", desk.ExitMarketplace, reads, (*examination).checkContent},
	{"price", open, "PRICE_ SHIPPING_COUNTRY", (*examination).checkPrice},
	{"report", desk.ExitMarketplace, asks, (*examination).checkReport},
	{"webhook", open, asks + " WEBHOOK_URL", (*examination).checkWebhook},
	{"clock", open, "MARKETPLACE_URL", (*examination).checkClock},
	{shopCheck, desk.ExitShop, "SHOP_ADAPTER", (*examination).checkShop}, // and the adapter's variables
	{"page", open, "", (*examination).checkPage},
}

const shopCheck = "shop"

// An examination is what the checks ask with, and what they tell later ones.
type examination struct {
	*setup.Setup
	market *marketplace.Client
	log    *slog.Logger
	faults []error
	silent string // why the marketplace is not asked any more; "": it is

	status desk.Status // of the store or its worker; zero: it cannot be read
	page   string      // of one product on sale

	listed bool
	first  string                   // id of the list's first publication
	read   *marketplace.Publication // that publication
}

// Examine makes every check that no faulty setting stops. Once a marketplace is unreachable or refuses the token, only
// the check of the clock asks it.
func Examine(ctx context.Context, c *setup.Setup, faults []error, log *slog.Logger) ([]Finding, error) {
	configuration, none := configured(c, faults)
	findings := []Finding{configuration}
	if none {
		return findings, nil
	}
	market, err := c.AskMarketplace(ctx, log)
	x := &examination{Setup: c, market: market, log: log, faults: faults}
	if err != nil {
		x.silent = ", there is no token: " + c.Redact(err.Error())
	}
	for _, k := range checks {
		findings = append(findings, x.make(ctx, k))
	}
	return findings, market.Close()
}

func (x *examination) make(ctx context.Context, k check) Finding {
	f := Finding{Check: k.name}
	if in := x.faultsIn(k); len(in) > 0 {
		f.Detail = "not checked: mend " + strings.Join(in, ", ") + " first"
		return f
	}
	if x.silent != "" && strings.HasPrefix(k.needs, asks) {
		f.Detail = "not checked" + x.silent
		return f
	}
	limit := timeout
	if k.name == shopCheck {
		limit = shopTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	detail, err := k.run(x, ctx)
	for marketplace.KindOf(err) == marketplace.Throttled && ctx.Err() == nil { // a worker has just used the points
		engine.Sleep(ctx, throttledWait)
		if again, failed := k.run(x, ctx); ctx.Err() == nil {
			detail, err = again, failed
		}
	}
	if f.Detail, f.OK = detail, err == nil; f.OK {
		return f
	}
	f.Detail, f.Code = x.Redact(err.Error()), k.code
	var own *desk.Error // a fault of the configuration, such as another currency
	if errors.As(err, &own) {
		f.Code = own.Exit
	}
	var e *marketplace.Error
	switch {
	case !errors.As(err, &e):
	case e.Status == 0 && e.Kind == marketplace.Transient:
		x.silent = ": the marketplace cannot be reached"
	case k.name == "token" && e.Kind == marketplace.Unauthorized && x.ByInstallation():
		x.silent = ", there is no token: " + f.Detail
	case k.name == "token" && e.Kind == marketplace.Unauthorized:
		x.silent = ": the marketplace refuses the token"
	}
	return f
}

func (x *examination) faultsIn(k check) (names []string) {
	needs := strings.Fields(k.needs)
	if k.name == shopCheck && x.ShopAdapter != "" {
		needs = append(needs, strings.TrimPrefix(shopadapter.Variable(x.ShopAdapter, ""), config.Prefix))
	}
	for _, err := range x.faults {
		var f *shopadapter.Fault
		if !errors.As(err, &f) {
			continue
		}
		name := strings.TrimSuffix(f.Variable, "_FILE")
		begins := func(need string) bool { return strings.HasPrefix(name, config.Prefix+need) }
		if slices.ContainsFunc(needs, begins) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// ExitCode is that of the most serious finding.
func ExitCode(findings []Finding) int {
	var errs []error
	for _, f := range findings {
		if !f.OK {
			errs = append(errs, exit.With(f.Code))
		}
	}
	return exit.Worst(errs...)
}

// configured returns all faults and warnings. none reports that neither marketplace nor shop is set, and nothing
// else is wrong.
func configured(c *setup.Setup, faults []error) (f Finding, none bool) {
	f = Finding{Check: "configuration", OK: len(faults) == 0, Code: desk.ExitUsage, Detail: "every value is good"}
	if !f.OK {
		f.Detail = errors.Join(faults...).Error()
	}
	f.Detail = strings.Join(append([]string{f.Detail}, c.Warnings...), "\n")
	required := []string{"MARKETPLACE_URL", "MARKETPLACE_TOKEN", "SHOP_ADAPTER"}
	if c.IsApp() || len(faults) != len(required) ||
		slices.ContainsFunc(required, func(name string) bool { return c.Values[config.Prefix+name] != "" }) {
		return f, false
	}
	first := "name a file with --env-file FILE, to"
	if len(c.Files) > 0 {
		first = "nothing is set in " + strings.Join(c.Files, ", ") + ";"
	}
	f.Detail = "there is none: " + first + " begin from config.example.env, which " + say.Program() +
		" adapters --env prints\nit needs PUBSYNC_MARKETPLACE_URL, PUBSYNC_MARKETPLACE_TOKEN and PUBSYNC_SHOP_ADAPTER, " +
		"one of " + strings.Join(shopadapter.Names(), ", ") + "\nto see pubsync without any: " + say.Program() + " demo"
	return f, true
}
