package cmd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// doctorTimeout bounds one check.
const doctorTimeout = 30 * time.Second

type doctorCommand struct{ jsonFlag }

// A finding is the outcome of one check.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // what was found, or what to do
	code   int
}

// A check is one question of the doctor.
type check struct {
	name  string
	code  int      // the exit code where it fails
	needs []string // variables that it needs, without their prefix; SHOP is every variable of the adapter
	run   func(context.Context) (string, error)
}

// Run makes every check and says what to do where one fails. A fault of the configuration stops
// only the checks that need the value. A marketplace that cannot be reached is asked once.
func (d *doctorCommand) Run(ctx context.Context, a *app) error {
	c, faults := newSetup(a.env, config.ToRun)
	log := a.logger(c, slog.LevelError)
	market, unknown := c.askMarketplace(ctx, log)
	findings := []finding{configured(c, faults)}
	away := false
	for _, check := range c.checks(market, log) {
		f := finding{Check: check.name}
		switch in := c.faultsIn(check, faults); {
		case len(in) > 0:
			f.Detail = "not checked: mend " + strings.Join(in, ", ") + " first"
		case unknown != nil && slices.Contains(check.needs, "MARKETPLACE_TOKEN"):
			f.Detail = "not checked, there is no token: " + c.filter.Replace(unknown.Error())
		case away && slices.Contains(check.needs, "MARKETPLACE_TOKEN"):
			f.Detail = "not checked: the marketplace cannot be reached"
		default:
			limited, cancel := context.WithTimeout(ctx, doctorTimeout)
			detail, err := check.run(limited)
			cancel()
			f.OK, f.Detail = err == nil, detail
			if err != nil {
				f.Detail, f.code = c.filter.Replace(err.Error()), check.code
			}
			if check.name == "token" && c.byInstallation() && marketplace.KindOf(err) == marketplace.Unauthorized {
				unknown = err
			}
			var e *marketplace.Error
			away = away || errors.As(err, &e) && e.Status == 0 && e.Kind == marketplace.Transient
		}
		findings = append(findings, f)
	}
	return errors.Join(d.print(a, findings), market.Close())
}

// checks are the questions in the order in which a worker depends on the answers.
func (c *setup) checks(market *marketplace.Client, log *slog.Logger) []check {
	asks := []string{"MARKETPLACE_URL", "MARKETPLACE_TOKEN", "OAUTH_CLIENT_SECRET"}
	reads := append(slices.Clone(asks), "MARKETPLACE_LANGUAGES")
	var first string
	var read *marketplace.Publication
	listed := false
	return []check{
		{"store", desk.ExitStore, nil, func(ctx context.Context) (string, error) { return c.checkStore(ctx, log) }},
		{"disk", desk.ExitStore, nil, func(context.Context) (string, error) { return c.checkDisk() }},
		{
			"token",
			desk.ExitMarketplace,
			asks,
			func(ctx context.Context) (string, error) { return c.checkToken(ctx, market) },
		},
		{
			"account",
			desk.ExitMarketplace,
			asks,
			func(ctx context.Context) (string, error) { return c.checkAccount(ctx, market, log) },
		},
		{
			"schema",
			desk.ExitMarketplace,
			reads,
			func(ctx context.Context) (string, error) { return checkSchema(ctx, market) },
		},
		{"list", desk.ExitMarketplace, asks, func(ctx context.Context) (text string, err error) {
			text, first, err = checkList(ctx, market)
			listed = err == nil
			return text, err
		}},
		{"content", desk.ExitMarketplace, reads, func(ctx context.Context) (text string, err error) {
			text, read, err = checkContent(ctx, market, first, listed)
			return text, err
		}},
		{
			"price",
			1,
			priceSettings(),
			func(ctx context.Context) (string, error) { return c.checkPrice(ctx, log, read), nil },
		},
		{
			"variants",
			1,
			append(slices.Clone(asks), "SWEEP_VARIANTS"),
			func(ctx context.Context) (string, error) { return c.checkVariants(ctx, market, log) },
		},
		{
			"report",
			desk.ExitMarketplace,
			asks,
			func(ctx context.Context) (string, error) { return c.checkReport(ctx, market, log) },
		},
		{
			"webhook",
			1,
			append(slices.Clone(asks), "WEBHOOK_URL"),
			func(ctx context.Context) (string, error) { return c.checkWebhook(ctx, market) },
		},
		{"deliveries", 1, nil, func(ctx context.Context) (string, error) { return c.checkDeliveries(ctx, log) }},
		{"clock", 1, asks[:1], func(ctx context.Context) (string, error) { return c.checkClock(ctx) }},
		{
			"shop",
			desk.ExitShop,
			[]string{"SHOP_ADAPTER", "SHOP"},
			func(ctx context.Context) (string, error) { return c.checkShop(ctx, log) },
		},
	}
}

// configured is the finding about the configuration as a whole: every fault, or every warning.
func configured(c *setup, faults []error) finding {
	if err := errors.Join(faults...); err != nil {
		return finding{
			Check:  "configuration",
			Detail: strings.Join(append([]string{err.Error()}, c.Warnings...), "\n"),
			code:   desk.ExitUsage,
		}
	}
	return finding{
		Check:  "configuration",
		OK:     true,
		Detail: strings.Join(append([]string{"every value is good"}, c.Warnings...), "; "),
	}
}

// faultsIn is the variables that a check needs and that have a fault.
func (c *setup) faultsIn(k check, faults []error) (names []string) {
	shop := shopadapter.Variable(c.ShopAdapter, "")
	for _, err := range faults {
		var f *shopadapter.Fault
		if !errors.As(err, &f) {
			continue
		}
		name := strings.TrimSuffix(f.Variable, "_FILE")
		needed := slices.Contains(k.needs, strings.TrimPrefix(name, config.Prefix)) ||
			slices.Contains(k.needs, "SHOP") && c.ShopAdapter != "" && strings.HasPrefix(name, shop)
		if needed && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// print writes the findings; the exit code is that of the most serious.
func (d *doctorCommand) print(a *app, findings []finding) error {
	code := 0
	for _, order := range []int{1, desk.ExitShop, desk.ExitMarketplace, desk.ExitStore, desk.ExitUsage} {
		if slices.ContainsFunc(findings, func(f finding) bool { return f.code == order }) {
			code = order
		}
	}
	if d.JSON {
		if err := a.printJSON(map[string]any{"checks": findings, "exit": code}); err != nil {
			return err
		}
	} else {
		for _, f := range findings {
			mark := "ok  "
			if !f.OK {
				mark = "FAIL"
			}
			for i, line := range strings.Split(f.Detail, "\n") {
				line = harmless(line)
				if i > 0 {
					fmt.Fprintf(a.stdout, "%20s%s\n", "", line)
					continue
				}
				fmt.Fprintf(a.stdout, "%s %-14s %s\n", mark, f.Check, line)
			}
		}
	}
	if code != 0 {
		return &exitError{code: code}
	}
	return nil
}
