// Package imagehost opens the client with which an adapter tries and downloads the supplier's
// pictures.
package imagehost

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/fetch"
)

// Hosts is the setting IMAGE_HOSTS: what may be reached although its address is not public.
type Hosts []string

// Open makes a client for the pictures of a shop at an address. most is the largest file, in bytes.
func Open(shop string, allowed Hosts, most int64) *fetch.Client {
	return fetch.New(
		fetch.Options{MaxBytes: most, AllowHosts: append(slices.Clone(allowed), beside(shop)...), UserAgent: "pubsync"},
	)
}

// beside is the hosts that a shop at an address may be given pictures of although they are not
// public: its own, where that is not public either, and where it is this machine every name of it.
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

// EnvDecode reads the setting.
func (h *Hosts) EnvDecode(_ context.Context, value string) error {
	for entry := range strings.SplitSeq(value, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		name := entry
		if host, port, err := net.SplitHostPort(entry); err == nil {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return errHosts
			}
			name = host
		}
		if name == "" || strings.ContainsAny(name, "/@?# ") ||
			strings.Contains(name, ":") && net.ParseIP(strings.Trim(name, "[]")) == nil {
			return errHosts
		}
		*h = append(*h, entry)
	}
	return nil
}
