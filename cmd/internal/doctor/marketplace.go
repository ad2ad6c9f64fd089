package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/registration"
)

func (x *examination) checkToken(ctx context.Context) (string, error) {
	account, err := x.market.Account(ctx)
	refused := err != nil && marketplace.KindOf(err) == marketplace.Unauthorized
	switch {
	case refused && x.ByInstallation():
		return "", err // it says how the app is installed
	case refused:
		return "", fmt.Errorf("%w: take a new token from the API page of the marketplace account", err)
	case err != nil:
		return "", fmt.Errorf("%w: check PUBSYNC_MARKETPLACE_URL and the network", err)
	case account == "":
		return "accepted", nil
	}
	return "accepted, account " + say.Plain(account), nil
}

func (x *examination) checkSchema(ctx context.Context) (string, error) {
	forms, err := x.market.Probe(ctx)
	if err != nil {
		return "", err
	}
	if len(forms.Languages) == 0 {
		return "",
			fmt.Errorf("none of PUBSYNC_MARKETPLACE_LANGUAGES is a language of this marketplace, which has %s",
				strings.Join(forms.Offered, ", "))
	}
	return forms.String(), nil
}

func mayNot(what string, err error) error {
	if marketplace.IsRights(err) {
		return fmt.Errorf("%w: the token may not %s, take one that may read products and publications", err, what)
	}
	return err
}

func (x *examination) checkList(ctx context.Context) (text string, err error) {
	if x.first, err = x.market.TryList(ctx); err != nil {
		return "", mayNot("list publications", err)
	}
	x.listed = true
	if x.first == "" {
		return "the import list can be read, and is empty", nil
	}
	return "the import list can be read", nil
}

// checkContent reads the publication that the list began with. An empty list still shows whether
// the token may read one; an unread list shows nothing.
func (x *examination) checkContent(ctx context.Context) (text string, err error) {
	x.read, err = x.market.TryContent(ctx, cmp.Or(x.first, "0"))
	switch {
	case err != nil && (x.first != "" || marketplace.IsRights(err)):
		return "", mayNot("read a publication", err)
	case !x.listed:
		return "", errors.New("not checked: the import list cannot be read")
	case x.first == "":
		return "nothing to read yet", nil
	}
	return "publication " + say.Plain(x.first) + " can be read", nil
}

// checkReport asks whether what is reported is accepted. It reports nothing, so that only the store
// tells of a token that may not report.
func (x *examination) checkReport(ctx context.Context) (string, error) {
	userErrors, err := x.market.TryReport(ctx)
	if err != nil {
		return "", mayNot("report", err)
	}
	if status := x.status; status.Denied != "" {
		return "", fmt.Errorf("%s; %d reports are owed, and are made once it may", status.Denied, status.Outbox)
	}
	told := "a refused report tells why (userErrors)"
	if !userErrors {
		told = "it has no userErrors: a report is accepted when the publication then has the reported " +
			"status, and stays owed else"
		if forms, err := x.market.Probe(ctx); err == nil && !forms.NoUserErrors {
			told += "; set userErrors=none in " + marketplace.FormsSetting + ", which spares a request with each report"
		}
	}
	return "publicationStatusUpdated is there and accepts what is reported; " + told + "; nothing was reported", nil
}

// manyRefused is how many deliveries that were refused in a row are an error.
const manyRefused = 5

func (x *examination) checkWebhook(ctx context.Context) (more string, err error) {
	if f := x.status.Webhook.Refused; f != nil {
		more = fmt.Sprintf("%d deliveries in a row were refused, the last one %s: %s", f.InARow, say.Ago(f.Last), f.Says)
		if f.InARow >= manyRefused {
			return "", errors.New(more)
		}
		more = "\n" + more
	}
	address := x.WebhookURL.String()
	if address == "" {
		return "none is registered: changes are found by sweeps alone" + more, nil
	}
	found, err := registration.Find(ctx, x.market, address, x.WebhookEvents)
	if err != nil {
		return "", err
	}
	if len(found.Unknown) > 0 {
		more += "\nleft out, the marketplace does not know it: " + strings.Join(found.Unknown, ", ")
	}
	for _, h := range found.Superfluous {
		more += fmt.Sprintf("\nsuperfluous, remove in the marketplace's admin: %s (%s)", say.Plain(h.ID),
			say.Plain(x.Redact(h.CallbackURL)))
	}
	if len(found.Missing) > 0 {
		return "", fmt.Errorf("%s is not registered for %s: pubsync run registers it; "+
			"an event that the marketplace does not know is to be taken out of PUBSYNC_WEBHOOK_EVENTS%s",
			x.Redact(address), strings.Join(found.Missing, ", "), more)
	}
	return fmt.Sprintf("%s is registered and active%s", x.Redact(address), more), nil
}

const mostClockSkew = 2 * time.Minute

// checkClock compares this clock with the Date of the marketplace's answer.
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
	if skew := time.Since(at).Abs(); skew > mostClockSkew {
		return "",
			fmt.Errorf("this clock and the marketplace's differ by %s: set up time synchronisation", skew.Round(time.Second))
	}
	return "agrees with the marketplace's", nil
}

// checkCategories warns of rules whose category the marketplace does not have. A token that may not
// read the tree is told where a rule goes by it.
func (x *examination) checkCategories(ctx context.Context) (string, error) {
	tree, err := x.market.Categories(ctx, x.Rules.Languages[0])
	if marketplace.IsRefusal(err) {
		return "", fmt.Errorf("rules go by categories, and the marketplace does not tell its tree, so that what they "+
			"are about waits: %w", err)
	}
	if err != nil {
		return "", err
	}
	warnings := x.Rules.Unmeant(tree)
	if len(warnings) == 0 {
		return fmt.Sprintf("every rule's is among the marketplace's %d", len(tree)), nil
	}
	return say.Harmless("warning: " + strings.Join(warnings, "; ")), nil
}
