// Package doctor checks all that a worker depends on.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/cmd/internal/setup"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
)

const (
	timeout       = 30 * time.Second // of a check
	shopTimeout   = 3 * time.Minute  // of the shop's, which is several requests
	throttledWait = 3 * time.Second  // between two tries of a throttled check
	mostTries     = 10
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
	name string
	code int
	asks bool // the marketplace, with a token
	run  func(*examination, context.Context) (string, error)
}

const open = desk.ExitStanding // mends itself, or stops no worker

var checks = []check{
	{"store", desk.ExitStore, false, (*examination).checkStore},
	{"disk", desk.ExitStore, false, (*examination).checkDisk},
	{"token", desk.ExitMarketplace, true, (*examination).checkToken},
	{"schema", desk.ExitMarketplace, true, (*examination).checkSchema},
	{"list", desk.ExitMarketplace, true, (*examination).checkList},
	{"content", desk.ExitMarketplace, true, (*examination).checkContent},
	{"price", open, false, (*examination).checkPrice},
	{"report", desk.ExitMarketplace, true, (*examination).checkReport},
	{"webhook", open, true, (*examination).checkWebhook},
	{"clock", open, false, (*examination).checkClock},
	{"shop", desk.ExitShop, false, (*examination).checkShop},
	{"page", open, false, (*examination).checkPage},
}

// An examination is what the checks ask with, and what they tell later ones.
type examination struct {
	*setup.Setup
	market *marketplace.Client
	log    *slog.Logger
	silent string // why the marketplace is not asked any more; "": it is

	status desk.Status              // of the store or its worker; zero: it cannot be read
	page   string                   // of one product on sale
	first  string                   // id of the list's first publication
	read   *marketplace.Publication // that publication
}

// Examine makes every check if the configuration has no fault. Once the token's check fails, the marketplace is asked
// nothing else but its time.
func Examine(ctx context.Context, c *setup.Setup, faults []error, log *slog.Logger) ([]Finding, error) {
	findings := []Finding{configured(c, faults)}
	if len(faults) > 0 {
		return findings, nil
	}
	market, err := c.AskMarketplace(ctx, log)
	x := &examination{Setup: c, market: market, log: log}
	if err != nil {
		x.silent = "there is no token: " + c.Redact(err.Error())
	}
	for _, k := range checks {
		findings = append(findings, x.make(ctx, k))
	}
	return findings, market.Close()
}

func (x *examination) make(ctx context.Context, k check) Finding {
	if k.asks && x.silent != "" {
		return Finding{Check: k.name, Detail: "not checked: " + x.silent}
	}
	detail, err := x.run(ctx, k)
	for try := 1; try < mostTries && marketplace.KindOf(err) == marketplace.Throttled; try++ {
		engine.Sleep(ctx, throttledWait) // a worker has just used the points
		detail, err = x.run(ctx, k)
	}
	if err == nil {
		return Finding{Check: k.name, OK: true, Detail: detail}
	}
	if k.name == "token" {
		x.silent = "the token's check failed"
	}
	f := Finding{Check: k.name, Detail: x.Redact(err.Error()), Code: k.code}
	if own, coded := errors.AsType[*desk.Error](err); coded { // a fault of the configuration, such as another currency
		f.Code = own.Exit
	}
	return f
}

func (x *examination) run(ctx context.Context, k check) (string, error) {
	limit := timeout
	if k.name == "shop" {
		limit = shopTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return k.run(x, ctx)
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

// configured returns all faults and warnings.
func configured(c *setup.Setup, faults []error) Finding {
	f := Finding{Check: "configuration", OK: len(faults) == 0, Code: desk.ExitUsage, Detail: "every value is good"}
	if !f.OK {
		f.Detail = errors.Join(faults...).Error() + "\nall else is checked once this is mended"
	}
	if c.ShopAdapter == "" {
		f.Detail += fmt.Sprintf("\nbegin from config.example.env, which %[1]s adapters --env prints, and name the file with "+
			"--env-file FILE; %[1]s demo needs none", say.Program())
	}
	f.Detail = strings.Join(append([]string{f.Detail}, c.Warnings...), "\n")
	return f
}
