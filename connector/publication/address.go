package publication

import (
	"net/netip"
	"net/url"
	"strings"
)

func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// SameAddress reports whether two addresses are one: the case of scheme and host, a final dot of the host, the default
// port and final slashes make no difference.
func SameAddress(a, b string) bool {
	one, ok := plainAddress(a)
	other, fine := plainAddress(b)
	return a == b || ok && fine && one == other
}

// plainAddress is the canonical spelling of an address.
func plainAddress(address string) (url.URL, bool) {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return url.URL{}, false
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == map[string]string{"http": "80", "https": "443"}[scheme] {
		port = ""
	}
	host := strings.TrimRight(strings.ToLower(u.Hostname()), ".")
	return url.URL{
		Scheme: scheme, Host: host + ":" + port, Path: strings.TrimRight(u.Path, "/"), RawQuery: u.RawQuery,
		Fragment: u.Fragment,
	}, true
}

// isPrivateHost reports whether the host of an address is one that customers cannot reach.
func isPrivateHost(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	host := strings.TrimRight(strings.ToLower(u.Hostname()), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !ip.IsGlobalUnicast() || ip.IsPrivate()
	}
	for _, end := range []string{"localhost", ".local", ".internal", ".test"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return !strings.Contains(host, ".")
}

// movesTo reports whether the address that the shop lists takes the place of the one that is known. A worker that
// reaches the shop by a private name is shown that name.
func movesTo(known, listed string) bool {
	return isWebAddress(listed) && !SameAddress(known, listed) &&
		(!isPrivateHost(listed) || known == "" || isPrivateHost(known))
}
