package wire

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// ErrPrivate marks an address that PublicTransport does not dial.
var ErrPrivate = errors.New("the host's address is not a public one")

// PublicTransport is for addresses that a stranger chose: they may name a metadata service or a router's page. It dials
// only public addresses, and hosts that the merchant allows, as host or host:port. It judges resolved addresses, so
// no changing name or redirect gets around it. It uses no proxy, which would hide them.
func PublicTransport(allow ...string) *http.Transport {
	const patience = 10 * time.Second // to connect, and to an answer's header
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, _ := net.SplitHostPort(address) //nolint:errcheck // the transport gives a port
		// by name, before it is resolved: the merchant trusts no other name of the same address
		allowed := slices.ContainsFunc(allow, func(entry string) bool {
			return strings.EqualFold(entry, address) || strings.EqualFold(strings.Trim(entry, "[]"), host)
		})
		dialer := net.Dialer{Timeout: patience, Control: func(_, resolved string, _ syscall.RawConn) error {
			if at, err := netip.ParseAddrPort(resolved); !allowed && (err != nil || !isPublic(at.Addr())) {
				return ErrPrivate
			}
			return nil
		}}
		return dialer.DialContext(ctx, network, address)
	}
	return &http.Transport{
		DialContext: dial, ForceAttemptHTTP2: true, MaxIdleConns: 16, MaxIdleConnsPerHost: 2,
		IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: patience,
		ResponseHeaderTimeout: patience, MaxResponseHeaderBytes: 64 << 10,
	}
}

// isPublic judges an IPv4 address inside an IPv6 one as what it is.
func isPublic(a netip.Addr) bool {
	a = a.Unmap().WithZone("")
	return a.IsGlobalUnicast() && !a.IsPrivate() &&
		!slices.ContainsFunc(reserved(), func(block netip.Prefix) bool { return block.Contains(a) })
}

// reserved lists what IsGlobalUnicast and IsPrivate let through: IANA's special-purpose registries, IPv6 ranges that
// translate to IPv4 of the caller's choice, and Azure's platform (168.63.129.16).
var reserved = sync.OnceValue(func() (blocks []netip.Prefix) {
	for block := range strings.FieldsSeq("0.0.0.0/8 100.64.0.0/10 168.63.129.16/32 192.0.0.0/24 192.0.2.0/24 " +
		"192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4 ::/96 ::ffff:0:0:0/96 64:ff9b::/96 " +
		"64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fec0::/10") {
		blocks = append(blocks, netip.MustParsePrefix(block))
	}
	return blocks
})
