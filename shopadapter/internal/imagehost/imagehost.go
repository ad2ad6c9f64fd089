// Package imagehost opens the client with which an adapter tries and downloads the supplier's pictures.
package imagehost

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
)

// Setting is the hosts that may be reached although their addresses are not public.
func Setting() shopadapter.Setting {
	return shopadapter.Setting{
		Name: "IMAGE_HOSTS", Valid: validHosts,
		Meaning: "host[:port] list, joined by commas, that pictures may be fetched from although the address is private",
	}
}

// Open makes a client for the pictures of a shop at an address. allowed is the setting. most is the largest file, in bytes.
func Open(shop, allowed string, most int64) *fetch.Client {
	return fetch.New(fetch.Options{MaxBytes: most, AllowHosts: append(hosts(allowed), beside(shop)...), UserAgent: "pubsync"})
}

// beside is the hosts that a shop at an address may be given pictures of although they are not public: its own, where that
// is not public either, and where it is this machine every name of it.
func beside(shop string) []string {
	u, err := url.Parse(shop)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	ip, err := netip.ParseAddr(u.Hostname())
	switch {
	case strings.EqualFold(u.Hostname(), "localhost"), err == nil && ip.IsLoopback():
		return []string{"localhost", "127.0.0.1", "::1", u.Hostname()}
	case err == nil && fetch.Public(ip):
		return nil
	}
	return []string{u.Hostname()}
}

var errHosts = errors.New("must be host names or addresses, each with or without a port, joined by commas")

func validHosts(value string) error {
	for _, entry := range hosts(value) {
		name := entry
		if h, port, err := net.SplitHostPort(entry); err == nil {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return errHosts
			}
			name = h
		}
		if name == "" || strings.ContainsAny(name, "/@?# ") || strings.Contains(name, ":") && net.ParseIP(strings.Trim(name, "[]")) == nil {
			return errHosts
		}
	}
	return nil
}

func hosts(value string) []string {
	var list []string
	for entry := range strings.SplitSeq(value, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			list = append(list, entry)
		}
	}
	return list
}
