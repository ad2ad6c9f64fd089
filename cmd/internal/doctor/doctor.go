// Package doctor checks all that a worker depends on.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
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
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/registration"
	"github.com/pubsync/pubsync/store"
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

// leastDisk is in bytes.
const leastDisk = 64 << 20

// checkStore is first: the others use the status that it reads.
func (x *examination) checkStore(ctx context.Context) (string, error) {
	if x.StoreMissing() {
		if err := x.tryFolder(); err != nil {
			return "", fmt.Errorf("%s cannot be made: %w", x.StoreName(), err)
		}
		return x.StoreName() + " will be made at the first run", nil
	}
	d, err := x.OpenDesk(x.log, config.ToTell)
	if err != nil {
		return "", err
	}
	ready := d.Ready(ctx)
	x.status, err = d.Status(ctx)
	live, _ := d.Publications(ctx, desk.Query{State: store.StateLive, Limit: 1}) //nolint:errcheck // the status tells
	for _, one := range live.Publications {
		x.page = one.URL
	}
	if err = cmp.Or(ready, err, d.Close()); err != nil && !store.Hopeless(err) {
		err = fmt.Errorf("%s cannot be written: %w", x.StoreName(), err)
	}
	return x.StoreName() + " can be written", x.WorkError(err)
}

// tryFolder makes and removes a file beside the store that is to be.
func (x *examination) tryFolder() error {
	if !x.StoreIsFile() {
		return nil
	}
	probe, err := os.CreateTemp(filepath.Dir(x.StorePath), ".doctor-*")
	if err != nil {
		return err
	}
	return cmp.Or(probe.Close(), os.Remove(probe.Name()))
}

func (x *examination) checkDisk(context.Context) (string, error) {
	if !x.StoreIsFile() {
		return "the database's, which cannot be seen from here", nil
	}
	dir := filepath.Dir(x.StorePath)
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

func (x *examination) checkToken(ctx context.Context) (string, error) {
	account, err := x.market.Account(ctx)
	refused := err != nil && marketplace.KindOf(err) == marketplace.Unauthorized
	switch {
	case refused && x.ByInstallation(): // the error says how to install the app
	case refused:
		err = fmt.Errorf("%w: take a new token from the API page of the marketplace account", err)
	case err != nil:
		err = fmt.Errorf("%w: check PUBSYNC_MARKETPLACE_URL and the network", err)
	case account != "":
		return "accepted, account " + say.Plain(account), nil
	}
	return "accepted", err
}

func (x *examination) checkSchema(ctx context.Context) (string, error) {
	forms, err := x.market.Probe(ctx)
	if err == nil && len(forms.Languages) == 0 {
		err = fmt.Errorf("none of PUBSYNC_MARKETPLACE_LANGUAGES is a language of this marketplace, which has %s",
			strings.Join(forms.Offered(), ", "))
	}
	text := forms.String()
	if !forms.Introspected {
		text += fmt.Sprintf("\nwhere it differs: %s %v; PUBSYNC_PRODUCT_DETAILS=off asks for no details, and "+
			"PUBSYNC_IMAGE_METHOD=original or FILL for pictures in another way",
			marketplace.FormsSetting, marketplace.ErrSaid)
	}
	return text, err
}

func mayNot(what string, err error) error {
	if marketplace.IsRights(err) {
		return fmt.Errorf("%w: the token may not %s, take one that may read products and publications", err, what)
	}
	return err
}

func (x *examination) checkList(ctx context.Context) (text string, err error) {
	x.first, err = x.market.TryList(ctx)
	return "the import list can be read", mayNot("list publications", err)
}

// checkContent shows even for an empty list whether the token may read a publication.
func (x *examination) checkContent(ctx context.Context) (text string, err error) {
	x.read, err = x.market.TryContent(ctx, cmp.Or(x.first, "0"))
	if x.first == "" && !marketplace.IsRights(err) {
		return "nothing to read: no publication was listed", nil
	}
	return "publication " + say.Plain(x.first) + " can be read", mayNot("read a publication", err)
}

// checkReport reports nothing. Only the store tells of a token that may not.
func (x *examination) checkReport(ctx context.Context) (string, error) {
	forms, err := x.market.Probe(ctx)
	if err == nil {
		err = forms.Reports()
	}
	text := "publicationStatusUpdated accepts what is reported; nothing was reported"
	switch {
	case err == nil && x.status.Denied != "":
		err = fmt.Errorf("%s; %d reports are owed, and are made once it may", x.status.Denied, x.status.Outbox)
	case !forms.Introspected:
		text = "not known: the marketplace does not show its schema"
	}
	return text, mayNot("report", err)
}

func (x *examination) checkWebhook(ctx context.Context) (string, error) {
	if f := x.status.Webhook.Refused; x.status.Webhook.Refuses() {
		return "", fmt.Errorf("%d deliveries in a row were refused, the last one %s: %s", f.InARow,
			say.Ago(f.Last), f.Says)
	}
	if x.WebhookURL == "" {
		return "none is registered: changes are found by sweeps alone", nil
	}
	unknown := x.status.Webhook.Unknown // as the worker was told
	events := slices.DeleteFunc(slices.Clone(x.WebhookEvents), func(event string) bool {
		return slices.Contains(unknown, event)
	})
	found, err := registration.Find(ctx, x.market, x.WebhookURL, events, nil)
	if err != nil {
		return "", err
	}
	more := ""
	if unknown = slices.Concat(unknown, found.Unknown); len(unknown) > 0 {
		more = "\nleft out, the marketplace does not know it: " + strings.Join(unknown, ", ")
	}
	address := x.Redact(x.WebhookURL)
	switch {
	case len(found.Unknown) == len(events):
		return "", fmt.Errorf("%s is not registered: the marketplace knows none of PUBSYNC_WEBHOOK_EVENTS", address)
	case len(found.Missing) > 0:
		return "", fmt.Errorf("%s is not registered for %s: %s%s", address, strings.Join(found.Missing, ", "),
			cmp.Or(x.status.Webhook.Error, "pubsync run registers it"), more)
	}
	return address + " is registered and active" + more, nil
}

func (x *examination) checkClock(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, string(x.MarketplaceURL), nil)
	if err != nil {
		return "", err
	}
	res, err := x.ShopClient().Do(req)
	if err != nil {
		return "not compared: the marketplace does not answer", nil //nolint:nilerr // that is the token's finding
	}
	_ = res.Body.Close() //nolint:errcheck // nothing was read
	at, err := http.ParseTime(res.Header.Get("Date"))
	if err != nil {
		return "not compared: the marketplace does not tell its time", nil //nolint:nilerr // it need not
	}
	if skew := time.Since(at).Abs(); skew > 2*time.Minute {
		return "", fmt.Errorf("this clock and the marketplace's differ by %s: set up time synchronisation",
			skew.Round(time.Second))
	}
	return "agrees with the marketplace's", nil
}

func (x *examination) checkShop(ctx context.Context) (string, error) {
	shop, err := x.OpenShop(x.log)
	if err != nil {
		return "", err
	}
	defer setup.CloseShop(shop) //nolint:errcheck // nothing was written
	is, err := shop.Check(ctx)
	if err == nil {
		err = x.SameCurrency(is)
	}
	text := x.ShopAdapter + " takes products"
	if is.Version != "" {
		text += ", and is version " + is.Version
	}
	if is.Prices.Net() {
		text += fmt.Sprintf("\nprices are entered without VAT of %s %%, with %d decimals", is.Prices.VAT, is.Prices.Places)
	}
	for _, more := range []string{is.Warning, is.Prices.Note} {
		if more != "" {
			text += "\n" + more
		}
	}
	return x.Redact(text), err
}

// checkPage asks for a product's page as a visitor does. What cannot be judged is no failure: the shop may be busy, or
// refuse programs.
func (x *examination) checkPage(ctx context.Context) (string, error) {
	if x.page == "" {
		return "there is no product on sale yet", nil
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, x.page, nil)
	if err != nil {
		return "", err
	}
	res, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	if err != nil {
		return "nothing can be told of the page: " + x.Redact(err.Error()), nil //nolint:nilerr // it is the answer
	}
	_ = res.Body.Close() //nolint:errcheck // it is not read
	seen := res.Request.URL.String()
	elsewhere := seen != req.URL.String()
	switch status := res.StatusCode; {
	case status == http.StatusNotFound, status == http.StatusGone, status == http.StatusUnauthorized,
		elsewhere && noProduct.MatchString(res.Request.URL.RequestURI()):
		return "", fmt.Errorf("visitors who ask for %s get %s: %s", x.page, say.Plain(seen), res.Status)
	case status >= http.StatusBadRequest:
		return fmt.Sprintf("nothing can be told of the page: %s answers %d", x.page, status), nil
	case elsewhere:
		return "visitors who ask for " + x.page + " see " + say.Plain(seen), nil
	}
	return "visitors see the product at " + x.page, nil
}

// noProduct is the path of a front page, or of one that asks for a password.
var noProduct = regexp.MustCompile(`(?i)^/$|/(password|login|wp-login|sign-?in)(\.php)?([/?]|$)`)

// checkPrice shows the sum of one price that checkContent read.
func (x *examination) checkPrice(context.Context) (string, error) {
	if x.read == nil || x.read.Listing == nil || len(x.read.Listing.Variants) == 0 {
		return "what was read has no product to show the sum of", nil
	}
	v, rule := x.read.Listing.Variants[0], x.Publication.Price.For(publication.TermsOf(x.read.Listing, store.Terms{}))
	q, err := rule.Quote(v.Cost, v.MSRP)
	if err != nil {
		return "publication " + say.Plain(x.read.ID) + " cannot be sold, " + err.Error(), nil //nolint:nilerr // the answer
	}
	return "publication " + say.Plain(x.read.ID) + ": " + strings.Join(q.Steps, "; "), nil
}
