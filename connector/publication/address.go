package publication

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// SameAddress reports whether two addresses are one: the case of scheme and host, a final dot of the
// host, the default port and final slashes make no difference.
func SameAddress(a, b string) bool {
	return a == b || plainAddress(a) != "" && plainAddress(a) == plainAddress(b)
}

// plainAddress is an address without what makes no difference, "" for none.
func plainAddress(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return ""
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	return strings.Join([]string{scheme, hostOf(u), port, strings.TrimRight(u.Path, "/"), u.RawQuery, u.Fragment}, " ")
}

func hostOf(u *url.URL) string { return strings.TrimRight(strings.ToLower(u.Hostname()), ".") }

// isPrivateHost reports whether the host of an address is one that customers cannot reach.
func isPrivateHost(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	host := hostOf(u)
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !ip.IsGlobalUnicast() || ip.IsPrivate()
	}
	private := []string{".localhost", ".local", ".internal", ".test"}
	return !strings.Contains(host, ".") ||
		slices.ContainsFunc(private, func(end string) bool { return strings.HasSuffix(host, end) })
}

// movesTo reports whether the address that the shop lists takes the place of the one that is known. A
// worker that reaches the shop by a private name is shown that name.
func movesTo(known, listed string) bool {
	return isWebAddress(listed) && !SameAddress(known, listed) &&
		(!isPrivateHost(listed) || known == "" || isPrivateHost(known))
}
