package config

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"strings"
)

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
