// Package fetch downloads pictures from addresses that a supplier chose.
//
// A supplier names an address, and a program inside the retailer's network follows it: that is how
// a metadata service, a database console or a router's page gets read by a stranger. So a [Client]
// asks where a connection really goes. The check sits in the dialer, after the name was resolved
// and just before the socket connects. So neither a name that resolves differently the second time
// nor a redirect gets around it; a literal address takes the same path. Every address that is not
// public unicast is refused: loopback, private, link-local, shared (carrier-grade NAT), unique
// local, multicast, unspecified, documentation and reserved ranges. So are IPv6 forms that carry
// such an IPv4 address inside (mapped, NAT64, 6to4, Teredo), and the metadata services of clouds,
// public-looking ones among them. The exception is a host that the merchant named in
// Options.AllowHosts.
//
// For the same reason no proxy is used: behind one the real destination could not be seen. A shop's
// own HTTP client, whose transport tests replace, is not used either; the dialer has to be this
// package's own.
//
// A download is bounded in time and size. Its type is read from its first bytes; a header or a file
// name is never believed.
//
// An error tells whether trying again can help: [ErrUnfit] is in the chain when it cannot: the
// address is wrong, or the file there. All other errors (time-out, 5xx, 429, a cut connection, an
// unknown host) may pass.
package fetch
