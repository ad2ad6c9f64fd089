// Package doctor asks all that a worker depends on. Each check finds how it stands, or says what to do.
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
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	timeout     = 30 * time.Second // bounds one check
	shopTimeout = 3 * time.Minute  // bounds the check of the shop, of several requests
)

// A Finding is the outcome of one check.
type Finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // what was found, or what to do
	Code   int    `json:"-"`      // the exit code where the check fails
}

// A check of the table. Its exit code counts where it fails, but for one that the error brings.
type check struct {
	name string
	code int
	asks bool // the marketplace
	run  func(*examination, context.Context) (string, error)
}

const open = desk.ExitStanding // mends itself, or keeps no worker from working

// checks are the questions in the order in which a worker depends on the answers.
var checks = []check{
	{"store", desk.ExitStore, false, (*examination).checkStore},
	{"token", desk.ExitMarketplace, true, (*examination).checkToken},
	{"schema", desk.ExitMarketplace, true, (*examination).checkSchema},
	{"list", desk.ExitMarketplace, true, (*examination).checkList},
	{"price", open, false, (*examination).checkPrice},
	{"webhook", open, true, (*examination).checkWebhook},
	{"clock", open, false, (*examination).checkClock},
	{shopCheck, desk.ExitShop, false, (*examination).checkShop},
}

const shopCheck = "shop"

// An examination is what the checks ask with, and what the earlier ones tell the later.
type examination struct {
	*setup.Setup
	market *marketplace.Client
	log    *slog.Logger
	silent string // why the marketplace is not asked any more; "": it is

	status desk.Status              // what the store tells, or the worker that holds it; zero: it cannot be read
	page   string                   // of one product on sale
	read   *marketplace.Publication // the first of the list
}

// Examine makes every check, where the configuration has no fault. A marketplace that cannot be reached, or
// refuses the token, is asked once.
func Examine(ctx context.Context, c *setup.Setup, faults []error, log *slog.Logger) ([]Finding, error) {
	findings := []Finding{configured(c, faults)}
	if len(faults) > 0 {
		return findings, nil
	}
	market, err := c.AskMarketplace(ctx, log)
	x := &examination{Setup: c, market: market, log: log}
	if err != nil {
		x.silent = ", there is no token: " + c.Redact(err.Error())
	}
	x.look(ctx)
	for _, k := range checks {
		findings = append(findings, x.make(ctx, k))
	}
	return findings, market.Close()
}

// look asks the store, or the worker that holds it, how things stand. What it cannot tell, the check of
// the store does.
func (x *examination) look(ctx context.Context) {
	if x.StoreMissing() {
		return
	}
	d, err := x.OpenDesk(x.log, setup.ToRead)
	if err != nil {
		return
	}
	defer d.Close() //nolint:errcheck // nothing was written
	if x.status, err = d.Status(ctx); err != nil {
		return
	}
	list, err := d.Publications(ctx, desk.Query{State: store.StateLive, Limit: 1})
	if err == nil && len(list.Publications) > 0 {
		x.page = list.Publications[0].URL
	}
}

// make makes a check.
func (x *examination) make(ctx context.Context, k check) Finding {
	f := Finding{Check: k.name}
	if x.silent != "" && k.asks {
		f.Detail = "not checked" + x.silent
		return f
	}
	limit := timeout
	if k.name == shopCheck {
		limit = shopTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var err error
	if f.Detail, err = k.run(x, ctx); err == nil {
		f.OK = true
		return f
	}
	f.Detail, f.Code = x.Redact(err.Error()), k.code
	var own *desk.Error // a fault of the configuration, another currency say
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

// ExitCode is that of the most serious finding.
func ExitCode(findings []Finding) int {
	var errs []error
	for _, f := range findings {
		errs = append(errs, exit.With(f.Code))
	}
	return exit.Worst(errs...)
}

// configured is the finding about the configuration as a whole: every fault, and every warning. Where nothing
// says which marketplace and which shop it is, it says how to begin.
func configured(c *setup.Setup, faults []error) Finding {
	if len(faults) == 0 {
		lines := append([]string{"every value is good"}, c.Warnings...)
		return Finding{Check: "configuration", OK: true, Detail: strings.Join(lines, "; ")}
	}
	required := []string{"MARKETPLACE_URL", "MARKETPLACE_TOKEN", "SHOP_ADAPTER"}
	set := slices.ContainsFunc(required, func(name string) bool { return c.Values[config.Prefix+name] != "" })
	if set || c.IsApp() || len(faults) != len(required) {
		lines := append([]string{errors.Join(faults...).Error()}, c.Warnings...)
		lines = append(lines, "nothing else is checked before this is mended")
		return Finding{Check: "configuration", Detail: strings.Join(lines, "\n"), Code: desk.ExitUsage}
	}
	first := "name a file with --env-file FILE, to"
	if len(c.Files) > 0 {
		first = "nothing is set in " + strings.Join(c.Files, ", ") + ";"
	}
	return Finding{Check: "configuration", Code: desk.ExitUsage, Detail: "there is none: " + first +
		" begin from config.example.env, which " + say.Program() + " adapters --env prints\n" +
		"it needs PUBSYNC_MARKETPLACE_URL, PUBSYNC_MARKETPLACE_TOKEN and PUBSYNC_SHOP_ADAPTER, one of " +
		strings.Join(shopadapter.Names(), ", ") + "\nto see pubsync without any: " + say.Program() + " demo"}
}
