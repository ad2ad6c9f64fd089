package admin

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// foreign reports whether a browser sends the request on behalf of another site's page. Reading is
// refused too, since a backup costs a copy of the store; a link that a person follows is not. The
// Origin header counts before all else that a browser says.
func (h *Handler) foreign(r *http.Request) bool {
	for _, origin := range r.Header.Values("Origin") {
		if !ownOrigin(r, origin) {
			return true
		}
	}
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" &&
		r.Header.Get("Sec-Fetch-Dest") == "document" &&
		!strings.HasPrefix(r.URL.Path, "/api/") {
		return false
	}
	changing := http.Request{Method: http.MethodPost, URL: r.URL, Host: r.Host, Header: r.Header}
	return h.origins.Check(&changing) != nil
}

// ownOrigin reports whether an origin is this listener, as the browser or the proxy before it names
// it. No page of another site can make a browser send X-Forwarded-Host.
func ownOrigin(r *http.Request, origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" {
		return false
	}
	return slices.ContainsFunc(append(r.Header.Values("X-Forwarded-Host"), r.Host),
		func(host string) bool { return strings.EqualFold(host, u.Host) })
}

// loopbackHost reports whether a Host header names this machine, and no name that a foreign page
// could point at it.
func loopbackHost(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback()
}
