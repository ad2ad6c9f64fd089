package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
)

// warnOfPlainHTTP warns of each address that a secret is sent to in plain text over the public
// internet.
func (c *Config) warnOfPlainHTTP() {
	warn := func(variable, secret string) {
		c.warn("%s is an http address: %s sent there can be read on the way; use https", variable, secret)
	}
	if (c.MarketplaceToken != "" || c.IsApp()) && plainPublic(string(c.MarketplaceURL)) {
		warn(Prefix+"MARKETPLACE_URL", "the token")
	}
	if c.OAuthClientSecret != "" && plainPublic(string(c.OAuthAuthURL)) {
		warn(Prefix+"OAUTH_AUTH_URL", "the app's secret")
	}
	if plainPublic(string(c.AlertURL)) {
		c.warn("%sALERT_URL is an http address: alerts can be read on the way; use https", Prefix)
	}
	f, _ := shopadapter.Lookup(c.ShopAdapter)
	secret := slices.ContainsFunc(f.List(),
		func(s shopadapter.Setting) bool { return s.Secret && c.Adapter[s.Name] != "" })
	if secret && plainPublic(c.Adapter["URL"]) {
		warn(shopadapter.Variable(c.ShopAdapter, "URL"), "the token")
	}
}

// plainPublic reports whether an address is plain HTTP to a host that may be on the public
// internet. It resolves no name: a name counts as private if it has no dot, or an ending that
// public DNS does not have.
func plainPublic(address string) bool {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Scheme, "http") || u.Hostname() == "" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return fetch.Public(ip)
	}
	dot := strings.LastIndexByte(host, '.')
	return dot >= 0 &&
		!slices.Contains([]string{"localhost", "local", "internal", "lan", "svc", "test", "arpa"}, host[dot+1:])
}
