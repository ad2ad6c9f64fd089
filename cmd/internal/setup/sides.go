package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	shopDialTimeout   = 10 * time.Second
	shopHeaderTimeout = 2 * time.Minute // shared hosting takes its time over a large batch
	shopTimeout       = 5 * time.Minute
	shopAnswerLimit   = 64 << 20 // bytes
)

func (c *Setup) userAgent() string {
	return "pubsync/" + c.version + " (+https://github.com/pubsync/pubsync)"
}

// ShopClient follows no redirect, and bounds time and size.
func (c *Setup) ShopClient() *http.Client { return c.clientWhile(nil) }

// clientWhile is ShopClient, but sends nothing once held returns false.
func (c *Setup) clientWhile(held func() bool) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // documented
	transport.DialContext = (&net.Dialer{Timeout: shopDialTimeout}).DialContext
	transport.MaxIdleConnsPerHost, transport.ResponseHeaderTimeout = 32, shopHeaderTimeout
	return &http.Client{
		Transport: bounded{transport, c.userAgent(), held}, Timeout: shopTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

type bounded struct {
	next  http.RoundTripper
	agent string
	held  func() bool // nil: no lease
}

func (t bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if t.held != nil && !t.held() {
		if r.Body != nil {
			_ = r.Body.Close() //nolint:errcheck // it is not sent
		}
		return nil, store.ErrFenced
	}
	if r.Header.Get("User-Agent") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("User-Agent", t.agent)
	}
	res, err := t.next.RoundTrip(r)
	if err == nil {
		res.Body = http.MaxBytesReader(nil, res.Body, shopAnswerLimit)
	}
	return res, err
}

// OpenShop opens the adapter.
func (c *Setup) OpenShop(log *slog.Logger) (shopadapter.Adapter, error) {
	shop, err := shopadapter.Open(c.ShopAdapter, shopadapter.Options{
		Settings: c.Adapter, VATPercent: c.Publication.Price.VAT.String(), HTTPClient: c.clientWhile(c.held),
		Logger: log.With("shop", c.ShopAdapter),
	})
	if err != nil {
		return nil, &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("open shop adapter %s: %w", c.ShopAdapter, err)}
	}
	return shop, nil
}

// CloseShop closes an adapter that has something to close.
func CloseShop(shop shopadapter.Adapter) error {
	if closer, ok := shop.(io.Closer); ok {
		return closer.Close()
	}
	return nil
}

// SameCurrency returns an error if the shop tells another currency than the marketplace's.
func (c *Setup) SameCurrency(is shopadapter.Info) error {
	if err := shopadapter.SameCurrency(is.Currency, c.Publication.Currency); err != nil {
		return &desk.Error{Exit: desk.ExitUsage, Err: err}
	}
	return nil
}

// openMarketplace opens it with the token of the settings, else with an installation's.
func (c *Setup) openMarketplace(i install.Installation, log *slog.Logger) *marketplace.Client {
	m := marketplace.Config{
		URL: string(c.MarketplaceURL), Token: c.MarketplaceToken, Languages: c.Publication.Languages,
		Logger: log, UserAgent: c.userAgent(), Forms: c.Forms, Details: c.Publication.Details,
		Pictures: marketplace.Picture{Method: cmp.Or(c.ImageMethod, marketplace.Uncropped), Size: c.ImageSize},
	}
	if c.ByInstallation() {
		at := c.Origin()
		if c.Account != "" {
			at += "/" + c.Account
		}
		m.Install = "open " + at + install.Path + " in a browser while pubsync run is up, or install the app from its page " +
			"at the marketplace"
	}
	if c.ByInstallation() && len(i.Sealed) > 0 {
		var err error
		if m.Token, err = i.Token(c.OAuthClientSecret); err != nil {
			log.Warn("token of the installation stays sealed", "error", err)
			m.Sealed = err.Error()
		}
		c.hide(m.Token)
	}
	return marketplace.New(m)
}

// AskMarketplace opens the marketplace, and asks the desk for an installation's token.
func (c *Setup) AskMarketplace(ctx context.Context, log *slog.Logger) (*marketplace.Client, error) {
	var installed install.Installation
	if !c.ByInstallation() || c.StoreMissing() {
		return c.openMarketplace(installed, log), nil
	}
	d, err := c.OpenDesk(log, config.ToLook)
	if err == nil {
		installed, err = d.Installation(ctx)
		err = errors.Join(err, d.Close())
	}
	return c.openMarketplace(installed, log), err
}

// ByInstallation reports whether the token comes from an installation. A configured one wins.
func (c *Setup) ByInstallation() bool { return c.MarketplaceToken == "" && c.IsApp() }
