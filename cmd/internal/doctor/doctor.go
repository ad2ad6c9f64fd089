// Package doctor asks all that a worker depends on: configuration, store, disk, token, schema,
// webhook, shop and clock. Each check finds how it stands, or says what to do.
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
)

const (
	timeout     = 30 * time.Second // bounds one check
	shopTimeout = 3 * time.Minute  // bounds the check of the shop, of which each request has timeout
)

// A Finding is the outcome of one check.
type Finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // what was found, or what to do
	Code   int    `json:"-"`      // the exit code where the check fails
}

// A check is one question of the doctor.
type check struct {
	name  string
	code  int      // the exit code where it fails
	needs []string // variables that it needs, without their prefix; SHOP is every variable of the adapter
	run   func(context.Context) (string, error)
}

// limit bounds the check.
func (k check) limit() time.Duration {
	if k.name == shopCheck {
		return shopTimeout
	}
	return timeout
}

const shopCheck = "shop"

// An examination is what the checks ask with.
type examination struct {
	*setup.Setup
	market *marketplace.Client
	log    *slog.Logger

	listed bool                     // the import list could be read
	first  string                   // its first publication's id
	read   *marketplace.Publication // that publication
}

// Examine makes every check. A fault of the configuration stops only the checks that need the
// value. A marketplace that cannot be reached is asked once.
func Examine(ctx context.Context, c *setup.Setup, faults []error, log *slog.Logger) ([]Finding, error) {
	if unconfigured(c, faults) {
		return []Finding{nothingSet()}, nil
	}
	market, unknown := c.AskMarketplace(ctx, log)
	x := &examination{Setup: c, market: market, log: log}
	findings := []Finding{configured(c, faults)}
	away := false
	for _, check := range x.checks() {
		f := Finding{Check: check.name}
		switch in := x.faultsIn(check, faults); {
		case len(in) > 0:
			f.Detail = "not checked: mend " + strings.Join(in, ", ") + " first"
		case unknown != nil && slices.Contains(check.needs, "MARKETPLACE_TOKEN"):
			f.Detail = "not checked, there is no token: " + c.Redact(unknown.Error())
		case away && slices.Contains(check.needs, "MARKETPLACE_TOKEN"):
			f.Detail = "not checked: the marketplace cannot be reached"
		default:
			limited, cancel := context.WithTimeout(shopadapter.EachRequest(ctx, timeout), check.limit())
			detail, err := check.run(limited)
			cancel()
			f.OK, f.Detail = err == nil, detail
			if err != nil {
				f.Detail, f.Code = c.Redact(err.Error()), codeOf(err, check)
			}
			if check.name == "token" && c.ByInstallation() && marketplace.KindOf(err) == marketplace.Unauthorized {
				unknown = err
			}
			var e *marketplace.Error
			away = away || errors.As(err, &e) && e.Status == 0 && e.Kind == marketplace.Transient
		}
		findings = append(findings, f)
	}
	return findings, market.Close()
}

// codeOf is the exit code for an error of a check: a fault of the configuration, another currency
// say, has its own wherever it is found.
func codeOf(err error, k check) int {
	var e *exit.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return k.code
}

// ExitCode is that of the most serious finding.
func ExitCode(findings []Finding) int {
	code := desk.ExitOK
	for _, order := range []int{desk.ExitStanding, desk.ExitShop, desk.ExitMarketplace, desk.ExitStore, desk.ExitUsage} {
		if slices.ContainsFunc(findings, func(f Finding) bool { return f.Code == order }) {
			code = order
		}
	}
	return code
}

// checks are the questions in the order in which a worker depends on the answers.
func (x *examination) checks() []check {
	asks := []string{"MARKETPLACE_URL", "MARKETPLACE_TOKEN", "OAUTH_CLIENT_SECRET"}
	reads := append(slices.Clone(asks), "MARKETPLACE_LANGUAGES")
	variants := append(slices.Clone(asks), "SWEEP_VARIANTS")
	webhook := append(slices.Clone(asks), "WEBHOOK_URL")
	const open = desk.ExitStanding // mends itself, or keeps no worker from working
	checks := []check{
		{"store", desk.ExitStore, []string{"STORE_PATH", "STORE_URL"}, x.checkStore},
		{"disk", desk.ExitStore, []string{"STORE_PATH", "STORE_URL"}, x.checkDisk},
		{"token", desk.ExitMarketplace, asks, x.checkToken},
		{"account", desk.ExitMarketplace, asks, x.checkAccount},
		{"schema", desk.ExitMarketplace, reads, x.checkSchema},
		{"list", desk.ExitMarketplace, asks, x.checkList},
		{"content", desk.ExitMarketplace, reads, x.checkContent},
		{"price", open, priceSettings(), x.checkPrice},
		{"variants", open, variants, x.checkVariants},
		{"report", desk.ExitMarketplace, asks, x.checkReport},
		{"webhook", open, webhook, x.checkWebhook},
		{"deliveries", open, nil, x.checkDeliveries},
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

// unconfigured reports whether nothing says which marketplace and which shop it is, and nothing else
// is wrong.
func unconfigured(c *setup.Setup, faults []error) bool {
	for _, name := range []string{"MARKETPLACE_URL", "MARKETPLACE_TOKEN", "SHOP_ADAPTER"} {
		if c.Values[config.Prefix+name] != "" {
			return false
		}
	}
	return !c.IsApp() && len(faults) == requiredOfAll
}

// requiredOfAll is the number of settings that every configuration needs.
const requiredOfAll = 3

// nothingSet is the finding where there is no configuration: all other checks would only say so too.
func nothingSet() Finding {
	return Finding{
		Check: "configuration",
		Code:  desk.ExitUsage,
		Detail: "there is none: name a file with --env-file FILE, to begin from config.example.env, which " +
			say.Program() + " adapters --env prints\n" +
			"it needs PUBSYNC_MARKETPLACE_URL, PUBSYNC_MARKETPLACE_TOKEN and PUBSYNC_SHOP_ADAPTER, one of " +
			strings.Join(shopadapter.Names(), ", ") + "\n" +
			"to see pubsync without any: " + say.Program() + " demo",
	}
}

// configured is the finding about the configuration as a whole: every fault, or every warning.
func configured(c *setup.Setup, faults []error) Finding {
	if err := errors.Join(faults...); err != nil {
		return Finding{
			Check:  "configuration",
			Detail: strings.Join(append([]string{err.Error()}, c.Warnings...), "\n"),
			Code:   desk.ExitUsage,
		}
	}
	return Finding{
		Check:  "configuration",
		OK:     true,
		Detail: strings.Join(append([]string{"every value is good"}, c.Warnings...), "; "),
	}
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
