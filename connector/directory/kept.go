package directory

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// Facts of the store.
const (
	metaList = "directory"
	metaTree = "categories"
)

// A List is the account that the import list belongs to, and the stores that the marketplace thinks
// it feeds.
type List struct {
	Account  marketplace.Holder             `json:"account"`
	Channels []marketplace.Channel          `json:"channels,omitempty"`
	Parts    map[marketplace.Part]Freshness `json:"parts,omitempty"`
	Install  string                         `json:"install,omitempty"` // the Options.Install that was refused
}

// forget has refused parts count as never tried: all of them, or those tried before a moment that
// is not zero. It reports whether there were any.
func (l *List) forget(before time.Time) (any bool) {
	for p, f := range l.Parts {
		if f.Refused != "" && (before.IsZero() || !f.Tried.After(before)) {
			f.Refused, f.Tried = "", time.Time{}
			l.Parts[p], any = f, true
		}
	}
	return any
}

// Freshness is when a part was read, and why it was not read since.
type Freshness struct {
	At      time.Time `json:"at,omitzero"`       // when it was last read; zero: never
	Tried   time.Time `json:"tried,omitzero"`    // when it was last asked for
	Refused string    `json:"refused,omitempty"` // why the marketplace refused it then
}

// ListOf is what a store holds of the list; ok is false where nothing was read yet.
func ListOf(ctx context.Context, s store.Facts) (l List, ok bool, err error) {
	ok, err = store.MetaJSON(ctx, s, metaList, &l)
	return l, ok && err == nil &&
		(!l.Parts[marketplace.PartAccount].At.IsZero() || !l.Parts[marketplace.PartChannels].At.IsZero()), err
}

// Elsewhere warns where the channels name other shops than the one whose product page is at an
// address; "" where one of them is that shop, or where nothing can be compared.
func (l List) Elsewhere(page string) string {
	shop := hostOf(page)
	if shop == "" {
		return ""
	}
	var other []string
	for _, c := range l.Channels {
		host := hostOf(c.URL)
		switch {
		case host == "":
			continue
		case sameShop(host, shop):
			return ""
		}
		other = append(other, host)
	}
	if len(other) == 0 {
		return ""
	}
	return "the marketplace thinks that it feeds " + strings.Join(other, ", ") +
		", and the product pages that are reported lie at " + shop +
		": correct the store's address in the marketplace account, or use the token of the account that feeds this shop"
}

// hostOf is the host of an address, which may lack its scheme; "" where it has none.
func hostOf(address string) string {
	if address = strings.TrimSpace(address); !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), ".")
}

// sameShop reports whether two hosts are one shop: one may be a subdomain of the other.
func sameShop(a, b string) bool {
	return a == b || strings.HasSuffix(a, "."+b) || strings.HasSuffix(b, "."+a)
}
