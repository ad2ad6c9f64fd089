package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/marketplace"
)

func (x *examination) checkToken(ctx context.Context) (string, error) {
	account, err := x.market.Account(ctx)
	switch {
	case marketplace.KindOf(err) == marketplace.Unauthorized && err != nil && x.ByInstallation():
		return "", err // it says how the app is installed
	case marketplace.KindOf(err) == marketplace.Unauthorized && err != nil:
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

// mayNot adds to an error which right the token lacks.
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
	gone := saidOfGone(x.market.TryGone(ctx, x.first))
	return "publication " + say.Plain(x.first) + " can be read" + saidOfShapes(x.read) + gone, nil
}

// saidOfShapes says which fields have another shape than most marketplaces give them.
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

// saidOfGone says what the marketplace answers for a publication that does not exist.
func saidOfGone(said string, absent bool) string {
	switch {
	case said == "":
		return ""
	case absent:
		return "; of one that does not exist the marketplace says " + say.Harmless(said)
	default:
		return "; of one that does not exist the marketplace says " + say.Harmless(said) +
			": an entry of which it says so is not taken for gone"
	}
}
