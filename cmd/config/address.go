package config

import (
	"context"
	"errors"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
)

// A listen is an address to listen on, "" where it is off.
type listen string

func (l *listen) EnvDecode(_ context.Context, s string) error {
	if s == "off" {
		return nil
	}
	_, port, err := net.SplitHostPort(s)
	if err != nil || !isPort(port, 0) {
		return errors.New("is not an address such as 127.0.0.1:9464 or :8080")
	}
	*l = listen(s)
	return nil
}

func isPort(s string, least int) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= least && n <= 65535
}

func (l listen) loopback() bool {
	host, _, _ := net.SplitHostPort(string(l)) //nolint:errcheck // it was read
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

type headerPrefix string

func (p *headerPrefix) EnvDecode(_ context.Context, s string) error {
	*p = headerPrefix(s)
	if strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return errors.New("is not the beginning of a header's name such as X-Service")
	}
	return nil
}

// An alertURL is where alerts are posted. Such addresses hold their own secret, in the path or the
// query.
type alertURL string

func (a *alertURL) EnvDecode(_ context.Context, s string) error {
	*a = alertURL(s)
	if u, err := url.Parse(s); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errors.New("is not an absolute http(s) address")
	}
	return nil
}

// An alertMail is the server and the people that alerts are mailed to.
type alertMail struct{ *url.URL } // nil: there are none

func (a *alertMail) EnvDecode(_ context.Context, s string) error {
	u, err := url.Parse(s)
	if err == nil {
		err = judgeMail(u)
	} else {
		err = errMail
	}
	a.URL = u
	return err
}

var errMail = errors.New("is not of the form smtp://user:password@host:port/?from=a@shop.example&to=b@shop.example")

func judgeMail(u *url.URL) error {
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Scheme != "smtp" || u.Hostname() == "" || u.Port() != "" && !isPort(u.Port(), 1) ||
		len(query["from"]) != 1 || len(query["to"]) == 0 {
		return errMail
	}
	people := append(query["to"], query.Get("from"))
	for one := range strings.SplitSeq(strings.Join(people, ","), ",") {
		if _, err := mail.ParseAddress(one); err != nil {
			return errors.New("names no mail address in from or to")
		}
	}
	return nil
}

// Absolute returns the absolute path, so that a message names the same file in every folder.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path // the working folder is gone, and opening says so
}

var scheme = regexp.MustCompile(`^[A-Za-z0-9+.-]{2,}$`)

// SplitStore parts the address of a store at "://" into its scheme and what stands behind that. A
// path has no scheme, nor has one that begins with the letter of a drive.
func SplitStore(address string) (of, rest string) {
	of, rest, found := strings.Cut(address, "://")
	if !found || !scheme.MatchString(of) {
		return "", address
	}
	return strings.ToLower(of), rest
}

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
		warn(Prefix+"ALERT_URL", "the alerts")
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

// A callback is the public address of the webhook listener, as it is registered. The zero callback
// is none.
type callback struct {
	text    string
	url     *url.URL
	warning string
}

func (c *callback) EnvDecode(_ context.Context, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		return errors.New("is not an absolute http(s) address without a user name in it")
	}
	fault, warning := judgeCallback(u)
	*c = callback{value, u, warning}
	if fault != "" {
		return errors.New(fault)
	}
	return nil
}

// String is the address as it was given, "" where there is none.
func (c callback) String() string { return c.text }

// Origin is where a browser reaches the public listener, "" where there is none.
func (c callback) Origin() string {
	if c.url == nil {
		return ""
	}
	return c.url.Scheme + "://" + c.url.Host
}

// sharedAddresses is the addresses of carrier-grade NAT, which are no more public than private ones
// (RFC 6598).
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// judgeCallback returns why the marketplace will not deliver to an address (fault), or may not
// (warning). Both are empty for a good address. What the marketplace's specification rules out is a
// fault. A www host with a path, and an address of this machine or network, are warnings.
func judgeCallback(u *url.URL) (fault, warning string) {
	host := strings.TrimRight(strings.ToLower(u.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	ip = ip.Unmap().WithZone("")
	switch {
	case err == nil && ip.IsUnspecified():
		return "is an unspecified address, where nobody can deliver: use a public address", ""
	case err == nil && (!ip.IsGlobalUnicast() || ip.IsPrivate() || sharedAddresses.Contains(ip)):
		return "", "is a loopback or private address: only a marketplace on this network reaches it"
	case err == nil:
		return "", ""
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return "is localhost, where the marketplace sends nothing: use a public address", ""
	case endsInternal(host), endsInternal(u.String()):
		return "ends in internal, where the marketplace sends nothing: use a public address", ""
	case !strings.HasPrefix(host, "www."):
		return "", ""
	case strings.Trim(u.Path, "/") == "":
		return "is a bare www address, where the marketplace sends nothing: use one with a path, or a host name of " +
			"its own, such as hooks.example.com", ""
	default:
		return "", "is on a www host: the marketplace sends nothing to bare www addresses, and may not deliver to " +
			"this one; a host name of its own is safer"
	}
}

// endsInternal reports whether a host or an address ends in "internal", which the marketplace
// refuses.
func endsInternal(s string) bool {
	return strings.HasSuffix(strings.TrimRight(strings.ToLower(s), "./"), "internal")
}
