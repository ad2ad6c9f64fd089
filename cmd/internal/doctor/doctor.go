// Package doctor asks all that a worker depends on. Each check finds how it stands, or says what to do.
package doctor

import (
	"cmp"
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
	shopTimeout = 3 * time.Minute  // bounds the check of the shop, of which each request has timeout
	mostOnSale  = 20               // products of a state that are looked at
)

// A Finding is the outcome of one check.
type Finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // what was found, or what to do
	Code   int    `json:"-"`      // the exit code where the check fails
}

type check struct {
	name  string
	code  int      // the exit code where it fails
	needs []string // variables that it needs, without their prefix; SHOP is every variable of the adapter
	run   func(context.Context) (string, error)
}

// An examination is what the checks ask with.
type examination struct {
	*setup.Setup
	market *marketplace.Client
	log    *slog.Logger

	status desk.Status // what the store tells, or the worker that holds it; zero: it cannot be read
	page   string      // of one product on sale
	sample *sample     // one of its variants; nil: there is none

	listed bool                     // the import list could be read
	first  string                   // its first publication's id
	read   *marketplace.Publication // that publication
}

// Examine makes every check. A fault of the configuration stops only the checks that need the
// value. A marketplace that cannot be reached, or refuses the token, is asked once.
func Examine(ctx context.Context, c *setup.Setup, faults []error, log *slog.Logger) ([]Finding, error) {
	if f, nothing := nothingSet(c, faults); nothing {
		return []Finding{f}, nil
	}
	market, err := c.AskMarketplace(ctx, log)
	x := &examination{Setup: c, market: market, log: log}
	x.look(ctx)
	findings := []Finding{configured(c, faults)}
	silent := "" // why the marketplace is not asked any more
	if err != nil {
		silent = ", there is no token: " + c.Redact(err.Error())
	}
	for _, k := range x.checks() {
		f := Finding{Check: k.name}
		in := x.faultsIn(k, faults)
		switch {
		case len(in) > 0:
			f.Detail = "not checked: mend " + strings.Join(in, ", ") + " first"
		case silent != "" && slices.Contains(k.needs, "MARKETPLACE_TOKEN"):
			f.Detail = "not checked" + silent
		default:
			silent = cmp.Or(x.make(ctx, k, &f), silent)
		}
		findings = append(findings, f)
	}
	return findings, market.Close()
}

// make makes a check. It returns why the marketplace is not to be asked any more, "" where it is.
func (x *examination) make(ctx context.Context, k check, f *Finding) (silent string) {
	limit := timeout
	if k.name == shopCheck {
		limit = shopTimeout
	}
	ctx, cancel := context.WithTimeout(shopadapter.EachRequest(ctx, timeout), limit)
	defer cancel()
	var err error
	if f.Detail, err = k.run(ctx); err == nil {
		f.OK = true
		return ""
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
		return ": the marketplace cannot be reached"
	case k.name != "token" || e.Kind != marketplace.Unauthorized:
	case x.ByInstallation():
		return ", there is no token: " + f.Detail
	default:
		return ": the marketplace refuses the token"
	}
	return ""
}

const shopCheck = "shop"

// ExitCode is that of the most serious finding.
func ExitCode(findings []Finding) int {
	var errs []error
	for _, f := range findings {
		errs = append(errs, exit.With(f.Code))
	}
	return exit.Worst(errs...)
}

// look asks the desk over the store. A store that cannot be read is the finding of the store's check.
func (x *examination) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
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
	for _, state := range []store.State{store.StateLive, store.StatePartial, store.StateHeld} {
		list, err := d.Publications(ctx, desk.Query{State: state, Limit: mostOnSale})
		if err != nil {
			return
		}
		for _, p := range list.Publications {
			x.page = cmp.Or(x.page, p.URL)
			if x.sample == nil {
				if e, err := d.Explain(ctx, p.ID); err == nil {
					x.sample = sampleOf(e)
				}
			}
		}
	}
}

// checks are the questions in the order in which a worker depends on the answers.
func (x *examination) checks() []check {
	asks := []string{"MARKETPLACE_URL", "MARKETPLACE_TOKEN", "OAUTH_CLIENT_SECRET"}
	reads := append(slices.Clone(asks), "MARKETPLACE_LANGUAGES")
	webhook := append(slices.Clone(asks), "WEBHOOK_URL")
	const open = desk.ExitStanding // mends itself, or keeps no worker from working
	checks := []check{
		{"store", desk.ExitStore, []string{"STORE_PATH", "STORE_URL"}, x.checkStore},
		{"disk", desk.ExitStore, []string{"STORE_PATH", "STORE_URL"}, x.checkDisk},
		{"token", desk.ExitMarketplace, asks, x.checkToken},
		{"schema", desk.ExitMarketplace, reads, x.checkSchema},
		{"list", desk.ExitMarketplace, asks, x.checkList},
		{"content", desk.ExitMarketplace, reads, x.checkContent},
		{"price", open, priceSettings(), x.checkPrice},
		{"report", desk.ExitMarketplace, asks, x.checkReport},
		{"webhook", open, webhook, x.checkWebhook},
		{"clock", open, asks[:1], x.checkClock},
		{shopCheck, desk.ExitShop, []string{"SHOP_ADAPTER", "SHOP"}, x.checkShop},
		{"page", open, nil, x.checkPage},
	}
	if !x.Rules.NamesCategories() {
		return checks
	}
	after := 1 + slices.IndexFunc(checks, func(k check) bool { return k.name == "price" })
	return slices.Insert(checks, after, check{"categories", open, asks, x.checkCategories})
}

// nothingSet is the finding where nothing says which marketplace and which shop it is, and nothing else
// is wrong: all other checks would only say so too.
func nothingSet(c *setup.Setup, faults []error) (Finding, bool) {
	required := []string{"MARKETPLACE_URL", "MARKETPLACE_TOKEN", "SHOP_ADAPTER"}
	if c.IsApp() || len(faults) != len(required) ||
		slices.ContainsFunc(required, func(name string) bool { return c.Values[config.Prefix+name] != "" }) {
		return Finding{}, false
	}
	first := "name a file with --env-file FILE, to"
	if len(c.Files) > 0 {
		first = "nothing is set in " + strings.Join(c.Files, ", ") + ";"
	}
	return Finding{Check: "configuration", Code: desk.ExitUsage, Detail: "there is none: " + first +
		" begin from config.example.env, which " + say.Program() + " adapters --env prints\n" +
		"it needs PUBSYNC_MARKETPLACE_URL, PUBSYNC_MARKETPLACE_TOKEN and PUBSYNC_SHOP_ADAPTER, one of " +
		strings.Join(shopadapter.Names(), ", ") + "\nto see pubsync without any: " + say.Program() + " demo"}, true
}

// configured is the finding about the configuration as a whole: every fault, and every warning.
func configured(c *setup.Setup, faults []error) Finding {
	if err := errors.Join(faults...); err != nil {
		lines := append([]string{err.Error()}, c.Warnings...)
		return Finding{Check: "configuration", Detail: strings.Join(lines, "\n"), Code: desk.ExitUsage}
	}
	lines := append([]string{"every value is good"}, c.Warnings...)
	return Finding{Check: "configuration", OK: true, Detail: strings.Join(lines, "; ")}
}

// faultsIn is the variables that a check needs and that have a fault.
func (x *examination) faultsIn(k check, faults []error) (names []string) {
	shop := shopadapter.Variable(x.ShopAdapter, "")
	for _, err := range faults {
		var f *shopadapter.Fault
		if !errors.As(err, &f) {
			continue
		}
		name := strings.TrimSuffix(f.Variable, "_FILE")
		needed := slices.Contains(k.needs, strings.TrimPrefix(name, config.Prefix)) ||
			slices.Contains(k.needs, "SHOP") && x.ShopAdapter != "" && strings.HasPrefix(name, shop)
		if needed && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
