package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/registration"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	leastDisk     = 64 << 20        // bytes free beside the store
	mostClockSkew = 2 * time.Minute // between this clock and the marketplace's
)

func (c *setup) checkStore(ctx context.Context, log *slog.Logger) (string, error) {
	if c.storeMissing() {
		probe, err := os.CreateTemp(filepath.Dir(c.StorePath), ".doctor-*")
		if err != nil {
			return "", fmt.Errorf("%s cannot be made: %w", c.StorePath, err)
		}
		return c.StorePath + " will be made at the first run", errors.Join(probe.Close(), os.Remove(probe.Name()))
	}
	d, err := c.openDesk(log, toWrite)
	if err != nil {
		return "", err
	}
	if l, ok := d.(*desk.Local); ok {
		if s, ok := l.Store.(store.Checked); ok {
			if err := s.Check(); err != nil {
				return "", errors.Join(storeError(c.StorePath, err), d.Close())
			}
		}
	}
	err = d.Ready(ctx)
	status, untold := d.Status(ctx)
	var refused *desk.Error
	switch err = errors.Join(err, d.Close()); {
	case err != nil:
		return "", fmt.Errorf("%s cannot be written: %w", c.StorePath, err)
	case errors.As(untold, &refused), !status.Started.IsZero(): // a worker may ask for a token before it tells more
		return "held by a running worker, which can write it", nil
	}
	if untold != nil {
		return "", untold
	}
	n := 0
	for _, count := range status.Publications {
		n += count
	}
	return fmt.Sprintf("%s: %d publications", c.StorePath, n), nil
}

func (c *setup) checkDisk() (string, error) {
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

func (c *setup) checkToken(ctx context.Context, market *marketplace.Client) (string, error) {
	account, err := market.Account(ctx)
	switch {
	case marketplace.KindOf(err) == marketplace.Unauthorized && err != nil && c.byInstallation():
		return "", err // it says how the app is installed
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
		return "", fmt.Errorf(
			"none of PUBSYNC_MARKETPLACE_LANGUAGES is a language of this marketplace, which has %s",
			strings.Join(forms.Offered, ", "),
		)
	}
	return forms.String(), nil
}

// mayNot adds to a refusal which right the token lacks.
func mayNot(what string, err error) error {
	if err != nil && marketplace.KindOf(err) == marketplace.Unauthorized {
		return fmt.Errorf("%w: the token may not %s, take one that may read products and publications", err, what)
	}
	return err
}

func checkList(ctx context.Context, market *marketplace.Client) (text, id string, err error) {
	if id, err = market.TryList(ctx); err != nil {
		return "", "", mayNot("list publications", err)
	}
	if id == "" {
		return "the import list can be read, and is empty", "", nil
	}
	return "the import list can be read", id, nil
}

// checkContent reads the publication that the list began with, and returns it. An empty list still
// shows whether the token may read one; an unread list shows nothing.
func checkContent(
	ctx context.Context,
	market *marketplace.Client,
	id string,
	listed bool,
) (string, *marketplace.Publication, error) {
	pub, err := market.TryContent(ctx, cmp.Or(id, "0"))
	switch {
	case err != nil && (id != "" || marketplace.KindOf(err) == marketplace.Unauthorized):
		return "", nil, mayNot("read a publication", err)
	case !listed:
		return "", nil, errors.New("not checked: the import list cannot be read")
	case id == "":
		return "nothing to read yet", nil, nil
	}
	return "publication " + plain(
		id,
	) + " can be read" + saidOfShapes(
		pub,
	) + saidOfGone(
		market.TryGone(ctx, id),
	), pub, nil
}

// saidOfShapes tells in which shape a publication gives what the specification leaves open.
func saidOfShapes(pub *marketplace.Publication) (said string) {
	if pub == nil || pub.Listing == nil {
		return ""
	}
	if pub.Listing.OneShipping {
		said = "; the costs of shipping are one object"
	}
	if unread := pub.Listing.Unread; len(unread) > 0 {
		said += "; in a shape that cannot be read, and left out: " + strings.Join(unread, ", ")
	}
	return said
}

// saidOfGone tells what the marketplace says of a publication that does not exist.
func saidOfGone(said string, absent bool) string {
	switch {
	case said == "":
		return ""
	case absent:
		return "; of one that does not exist the marketplace says " + plain(said)
	default:
		return "; of one that does not exist the marketplace says " + plain(
			said,
		) + ": an entry of which it says so is not taken for gone"
	}
}

func (c *setup) checkReport(ctx context.Context, market *marketplace.Client, log *slog.Logger) (string, error) {
	userErrors, err := market.TryReport(ctx)
	if err != nil {
		return "", mayNot("report", err)
	}
	if denied, owed := c.reportsDenied(ctx, log); denied != "" {
		return "", fmt.Errorf("%s; %d reports are owed, and are made once it may", denied, owed)
	}
	told := "a refused report tells why (userErrors)"
	if !userErrors {
		told = "it has no userErrors: a report is taken when the publication then has the reported " +
			"status, and stays owed else"
	}
	return "publicationStatusUpdated is there and takes what is reported; " + told + "; nothing was reported", nil
}

// reportsDenied is what the store, or the worker that holds it, knows of a token that may not
// report. Only a report shows that, and the doctor makes none. A store that cannot be asked is
// another check's finding.
func (c *setup) reportsDenied(ctx context.Context, log *slog.Logger) (why string, owed int) {
	d, err := c.openDesk(log, toRead)
	if err != nil {
		return "", 0
	}
	defer d.Close() //nolint:errcheck // nothing was written
	status, err := d.Status(ctx)
	if err != nil {
		return "", 0
	}
	return status.Denied, status.Outbox
}

// manyRefused is how many deliveries that are refused in a row are no accident.
const manyRefused = 5

// checkDeliveries says what the worker, or its store, knows of the webhooks that came: by which id
// the marketplace names the account in them, and why they are refused. A store that cannot be asked
// is another check's finding.
func (c *setup) checkDeliveries(ctx context.Context, log *slog.Logger) (string, error) {
	const none = "no webhook that was refused is known"
	d, err := c.openDesk(log, toRead)
	if err != nil {
		return none, nil //nolint:nilerr // see above
	}
	status, err := d.Status(ctx)
	if err = errors.Join(err, d.Close()); err != nil {
		return none, nil //nolint:nilerr // see above
	}
	said, r := none, status.Webhook
	if f := r.Refused; f != nil {
		said = fmt.Sprintf("%d in a row were refused, the last one %s: %s", f.InARow, ago(f.Last), f.Says)
	}
	switch {
	case r.Account != "" && r.InstalledAs != "" && r.Account != r.InstalledAs:
		said += fmt.Sprintf(
			"\nwebhooks name the account %s, the installation named it %s: both are taken",
			plain(r.Account),
			plain(r.InstalledAs),
		)
	case r.Account != "":
		said += "\nwebhooks name the account " + plain(r.Account)
	}
	if r.Refused != nil && r.Refused.InARow >= manyRefused {
		return "", errors.New(said)
	}
	return said, nil
}

func (c *setup) checkWebhook(ctx context.Context, market *marketplace.Client) (string, error) {
	if c.WebhookURL.String() == "" {
		return "none: changes are found by sweeps alone", nil
	}
	found, err := registration.Find(ctx, market, c.WebhookURL.String(), c.WebhookEvents)
	more := ""
	if len(found.Unknown) > 0 {
		more = "\nleft out, the marketplace does not know it: " + strings.Join(found.Unknown, ", ")
	}
	if len(found.Superfluous) > 0 {
		more += "\n" + c.filter.Replace(superfluous(found.Superfluous))
	}
	switch {
	case err != nil:
		return "", err
	case len(found.Missing) > 0:
		return "", fmt.Errorf("%s is not registered for %s: pubsync run registers it, or pubsync webhook register; "+
			"an event that the marketplace does not know is to be taken out of PUBSYNC_WEBHOOK_EVENTS%s",
			c.filter.Replace(c.WebhookURL.String()), strings.Join(found.Missing, ", "), more)
	}
	return fmt.Sprintf("%s is registered and active%s", c.filter.Replace(c.WebhookURL.String()), more), nil
}

// checkClock compares this clock with the Date of the marketplace's answer.
func (c *setup) checkClock(ctx context.Context) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodHead, string(c.MarketplaceURL), nil)
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
		return "", fmt.Errorf(
			"this clock and the marketplace's differ by %s: set up time synchronisation",
			skew.Round(time.Second),
		)
	}
	return "agrees with the marketplace's", nil
}

func (c *setup) checkShop(ctx context.Context, log *slog.Logger) (string, error) {
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
	if err := c.sameCurrency(ctx, shop); err != nil {
		return "", err
	}
	text := c.ShopAdapter + " takes products"
	if versioner, ok := shop.(shopadapter.Versioner); ok {
		if version, err := versioner.Version(ctx); err == nil && version != "" {
			text += ", and is version " + c.filter.Replace(version)
		}
	}
	prices, err := shownPrice(ctx, shop)
	return text + prices, err
}
