package fetch

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A guard decides which addresses may be dialled.
type guard struct {
	allow []string // host or host:port, as the merchant wrote them
}

const defaultAnswer = 10 * time.Second // to connect, and to the header of an answer

// Transport is a transport that dials public addresses alone, and those of the hosts that are
// allowed, each as host or host:port. It uses no proxy, behind which the real destination could not
// be seen. What is asked for through it is judged again at each redirect, by the address that is
// dialled.
func Transport(allow ...string) *http.Transport {
	g := guard{allow: slices.Clone(allow)}
	return &http.Transport{
		DialContext: g.dial, ForceAttemptHTTP2: true, MaxIdleConns: 16, MaxIdleConnsPerHost: 2,
		IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: defaultAnswer,
		ResponseHeaderTimeout: defaultAnswer, MaxResponseHeaderBytes: 64 << 10,
	}
}

func (g guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: defaultAnswer}
	if !g.allowed(address) {
		dialer.Control = func(_, resolved string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(resolved)
			if err != nil || !Public(at.Addr()) {
				return ErrPrivate
			}
			return nil
		}
	}
	return dialer.DialContext(ctx, network, address)
}

// allowed tells whether the merchant named the host that is asked for. It is the name in the
// address that counts, before it is resolved: what the merchant trusts is a name, and a foreign
// name that resolves to the same address is not what was named.
func (g guard) allowed(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	for _, entry := range g.allow {
		name, wanted := entry, ""
		if h, p, err := net.SplitHostPort(entry); err == nil {
			name, wanted = h, p
		}
		if strings.EqualFold(strings.Trim(name, "[]"), host) && (wanted == "" || wanted == port) {
			return true
		}
	}
	return false
}

// Public tells whether an address belongs to the public internet: a unicast address outside every
// range that is private, local or reserved. An IPv4 address inside an IPv6 one is judged as what it
// is.
func Public(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() &&
		!slices.ContainsFunc(reserved(), func(block netip.Prefix) bool { return block.Contains(a) })
}

// reserved lists ranges that IsGlobalUnicast and IsPrivate let through although no public web
// server has an address there. They are IANA's special-purpose registries, and the IPv6 ranges that
// a gateway translates to an IPv4 address of the caller's choice. The metadata services of clouds
// lie in them or are link-local: 100.100.100.200, 192.0.0.192, 169.254.169.254.
var reserved = sync.OnceValue(func() (blocks []netip.Prefix) {
	for _, block := range []string{
		"0.0.0.0/8", "100.64.0.0/10",
		// Azure's platform: metadata and name service of every machine there, at an address that looks public
		"168.63.129.16/32",
		"192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "::/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48",
		"100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		blocks = append(blocks, netip.MustParsePrefix(block))
	}
	return blocks
})
