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

// ErrPrivate is in the chain of the error of an address that PublicTransport does not dial.
var ErrPrivate = errors.New("the host's address is not a public one")

// PublicTransport is a transport for addresses that a stranger chose: a program inside the retailer's
// network that follows them would read a metadata service or a router's page. It dials public
// addresses alone, and those of the hosts that the merchant allows, each as host or host:port. The
// dialer judges once a name is resolved, so neither a name that resolves differently the second time
// nor a redirect gets around it. No proxy is used, behind which the destination could not be seen.
func PublicTransport(allow ...string) *http.Transport {
	const patience = 10 * time.Second // to connect, and to the header of an answer
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		dialer := net.Dialer{Timeout: patience}
		if !isAllowed(address, allow) {
			dialer.Control = func(_, resolved string, _ syscall.RawConn) error {
				if at, err := netip.ParseAddrPort(resolved); err != nil || !Public(at.Addr()) {
					return ErrPrivate
				}
				return nil
			}
		}
		return dialer.DialContext(ctx, network, address)
	}
	return &http.Transport{
		DialContext: dial, ForceAttemptHTTP2: true, MaxIdleConns: 16, MaxIdleConnsPerHost: 2,
		IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: patience,
		ResponseHeaderTimeout: patience, MaxResponseHeaderBytes: 64 << 10,
	}
}

// isAllowed goes by the name in the address, before it is resolved: another name that resolves to the
// same address is not what the merchant trusts.
func isAllowed(address string, allow []string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && slices.ContainsFunc(allow, func(entry string) bool {
		return strings.EqualFold(entry, address) || strings.EqualFold(strings.Trim(entry, "[]"), host)
	})
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
