package cmd

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
)

// warnOfPlainHTTP warns of each address that a secret is sent to in plain text over the public internet.
func (c *config) warnOfPlainHTTP() {
	if (c.MarketplaceToken != "" || c.isApp()) && plainPublic(c.MarketplaceURL) {
		c.warnOfPlain(envPrefix + "MARKETPLACE_URL")
	}
	if c.OAuthClientSecret != "" && plainPublic(c.OAuthAuthURL) {
		c.warnings = append(c.warnings, envPrefix+"OAUTH_AUTH_URL is an http address: the app's secret sent there can be read on the way; use https")
	}
	f, ok := shopadapter.Lookup(c.ShopAdapter)
	if !ok {
		return
	}
	secret := slices.ContainsFunc(f.Settings, func(s shopadapter.Setting) bool { return s.Secret && c.adapter[s.Name] != "" })
	if secret && plainPublic(c.adapter["URL"]) {
		c.warnOfPlain(adapterVariable(c.ShopAdapter, "URL"))
	}
}

func (c *config) warnOfPlain(name string) {
	c.warnings = append(c.warnings, fmt.Sprintf("%s is an http address: the token sent there can be read on the way; use https", name))
}

// plainPublic reports whether an address is plain HTTP to a host that may lie on the public internet. No name is resolved: a name is private where it has
// no ending, or one that public DNS has not.
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
	return dot >= 0 && !slices.Contains([]string{"localhost", "local", "internal", "lan", "svc", "test", "arpa"}, host[dot+1:])
}
