package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	doctorTimeout = 30 * time.Second // of one check
	leastDisk     = 64 << 20         // bytes free beside the store
	mostClockSkew = 2 * time.Minute  // between this clock and the marketplace's
)

type doctorCommand struct{ jsonFlag }

// A finding is the outcome of one check.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"` // what was found, or what to do
	code   int
}

// Run makes every check, each whatever came of the others, and says what to do where one fails.
func (d *doctorCommand) Run(ctx context.Context, a *app) error {
	c, err := loadConfig(a.env, toRun)
	if err != nil {
		return d.print(a, []finding{{Check: "configuration", Detail: err.Error(), code: connector.ExitUsage}})
	}
	log := a.logger(c, slog.LevelError)
	market := c.openMarketplace(log)
	findings := []finding{{Check: "configuration", OK: true, Detail: strings.Join(append([]string{"every value is good"}, c.warnings...), "; ")}}
	for _, check := range []struct {
		name string
		code int
		run  func(context.Context) (string, error)
	}{
		{"store", connector.ExitStore, func(context.Context) (string, error) { return c.checkStore(log) }},
		{"disk", connector.ExitStore, func(context.Context) (string, error) { return c.checkDisk() }},
		{"token", connector.ExitMarketplace, func(ctx context.Context) (string, error) { return checkToken(ctx, market) }},
		{"schema", connector.ExitMarketplace, func(ctx context.Context) (string, error) { return checkSchema(ctx, market) }},
		{"webhook", 1, func(ctx context.Context) (string, error) { return c.checkWebhook(ctx, market) }},
		{"clock", 1, func(ctx context.Context) (string, error) { return c.checkClock(ctx) }},
		{"shop", connector.ExitShop, func(ctx context.Context) (string, error) { return c.checkShop(ctx, log) }},
	} {
		limited, cancel := context.WithTimeout(ctx, doctorTimeout)
		detail, err := check.run(limited)
		cancel()
		f := finding{Check: check.name, OK: err == nil, Detail: detail}
		if err != nil {
			f.Detail, f.code = err.Error(), check.code
		}
		findings = append(findings, f)
	}
	return errors.Join(d.print(a, findings), market.Close())
}

// print writes the findings; the exit code is that of the most serious.
func (d *doctorCommand) print(a *app, findings []finding) error {
	code := 0
	for _, order := range []int{1, connector.ExitShop, connector.ExitMarketplace, connector.ExitStore, connector.ExitUsage} {
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

func (c *config) checkStore(log *slog.Logger) (string, error) {
	if _, err := os.Stat(c.StorePath); errors.Is(err, os.ErrNotExist) {
		probe, err := os.CreateTemp(filepath.Dir(c.StorePath), ".doctor-*")
		if err != nil {
			return "", fmt.Errorf("%s cannot be made: %w", c.StorePath, err)
		}
		return c.StorePath + " will be made at the first run", errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	s, err := store.Open(c.StorePath)
	if errors.Is(err, store.ErrLocked) {
		r, err := holder(c, log)
		if err != nil {
			return "", err
		}
		if err := r.ask(context.Background(), "GET", "/readyz", nil, nil); err != nil {
			return "", err
		}
		return "held by a running worker, which can write it", nil
	}
	if err != nil {
		return "", storeError(c.StorePath, err)
	}
	err = s.Writable()
	n := 0
	for _, count := range s.Counts() {
		n += count
	}
	if err = errors.Join(err, s.Close()); err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", c.StorePath, err)
	}
	return fmt.Sprintf("%s: %d publications", c.StorePath, n), nil
}

func (c *config) checkDisk() (string, error) {
	dir := filepath.Dir(c.StorePath)
	free, err := freeSpace(dir)
	switch {
	case errors.Is(err, errors.ErrUnsupported):
		return "not known on this system", nil
	case err != nil:
		return "", fmt.Errorf("%s: %w", dir, err)
	case free < leastDisk:
		return "", fmt.Errorf("%s has %d MiB free: make room, or webhooks will be answered 503", dir, free>>20)
	}
	return fmt.Sprintf("%d MiB free in %s", free>>20, dir), nil
}

func checkToken(ctx context.Context, market *marketplace.Client) (string, error) {
	account, err := market.Account(ctx)
	switch {
	case marketplace.KindOf(err) == marketplace.Unauthorized && err != nil:
		return "", fmt.Errorf("%w: take a new token from the API page of the marketplace account", err)
	case err != nil:
		return "", fmt.Errorf("%w: check PUBSYNC_MARKETPLACE_URL and the network", err)
	case account == "":
		return "accepted", nil
	}
	return "accepted, account " + plain(account), nil
}

func checkSchema(ctx context.Context, market *marketplace.Client) (string, error) {
	forms, err := market.Probe(ctx)
	if err != nil {
		return "", err
	}
	if len(forms.Languages) == 0 {
		return "", fmt.Errorf("none of PUBSYNC_MARKETPLACE_LANGUAGES is a language of this marketplace, which has %s", strings.Join(forms.Offered, ", "))
	}
	return forms.String(), nil
}

func (c *config) checkWebhook(ctx context.Context, market *marketplace.Client) (string, error) {
	if c.WebhookURL == "" {
		return "none: changes are found by sweeps alone", nil
	}
	hook, err := connector.Registered(ctx, market, c.WebhookURL)
	switch {
	case err != nil:
		return "", err
	case hook == nil:
		return "", fmt.Errorf("%s is not registered: pubsync run registers it, or pubsync webhook register", c.WebhookURL)
	}
	return fmt.Sprintf("%s is registered and active", c.WebhookURL), nil
}

// checkClock compares this clock with the Date of the marketplace's answer.
func (c *config) checkClock(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, c.MarketplaceURL, nil)
	if err != nil {
		return "", err
	}
	res, err := shopClient().Do(req)
	if err != nil {
		return "not compared: the marketplace does not answer", nil //nolint:nilerr // that is the token's finding
	}
	_ = res.Body.Close() //nolint:errcheck // nothing was read
	at, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return "not compared: the marketplace does not tell its time", nil //nolint:nilerr // it need not
	}
	if skew := time.Since(at).Abs(); skew > mostClockSkew {
		return "", fmt.Errorf("this clock and the marketplace's differ by %s: set up time synchronisation", skew.Round(time.Second))
	}
	return "agrees with the marketplace's", nil
}

func (c *config) checkShop(ctx context.Context, log *slog.Logger) (string, error) {
	shop, err := c.openShop(log)
	if err != nil {
		return "", err
	}
	if closer, ok := shop.(io.Closer); ok {
		defer closer.Close() //nolint:errcheck // nothing was written
	}
	checker, ok := shop.(shopadapter.Checker)
	if !ok {
		return "the adapter cannot tell", nil
	}
	if err := checker.Check(ctx); err != nil {
		return "", err
	}
	return c.ShopAdapter + " takes products", nil
}
