package fetch_test

import (
	"net/netip"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/fetch"
)

func TestPublic(t *testing.T) {
	for _, tc := range []struct {
		name, address string
		public        bool
	}{
		{"public IPv4", "93.184.215.14", true},
		{"public IPv6", "2606:4700:4700::1111", true},
		{"mapped public IPv4", "::ffff:93.184.215.14", true},
		{"loopback", "127.0.0.1", false},
		{"all of 127/8", "127.9.8.7", false},
		{"IPv6 loopback", "::1", false},
		{"private 10", "10.0.0.1", false},
		{"private 172.16", "172.31.255.254", false},
		{"next to private 172.16", "172.32.0.1", true},
		{"private 192.168", "192.168.1.1", false},
		{"link-local, where clouds keep credentials", "169.254.169.254", false},
		{"where containers on AWS get credentials", "169.254.170.2", false},
		{"where pods on AWS get credentials", "169.254.170.23", false},
		{"Azure's platform", "168.63.129.16", false},
		{"Azure's platform, mapped", "::ffff:168.63.129.16", false},
		{"next to Azure's platform", "168.63.129.17", true},
		{"Alibaba's metadata", "100.100.100.200", false},
		{"Oracle's metadata", "192.0.0.192", false},
		{"Scaleway's metadata", "fd00:42::42", false},
		{"pods on AWS, IPv6", "fd00:ec2::23", false},
		{"IPv6 link-local", "fe80::1", false},
		{"IPv6 link-local with a zone", "fe80::1%eth0", false},
		{"unique local", "fd00:ec2::254", false},
		{"site-local", "fec0::1", false},
		{"carrier-grade NAT", "100.64.0.1", false},
		{"end of carrier-grade NAT", "100.127.255.255", false},
		{"after carrier-grade NAT", "100.128.0.1", true},
		{"unspecified", "0.0.0.0", false},
		{"this network", "0.1.2.3", false},
		{"IPv6 unspecified", "::", false},
		{"multicast", "224.0.0.251", false},
		{"IPv6 multicast", "ff02::1", false},
		{"broadcast", "255.255.255.255", false},
		{"reserved", "240.0.0.1", false},
		{"documentation", "192.0.2.10", false},
		{"benchmarking", "198.19.255.255", false},
		{"mapped loopback", "::ffff:127.0.0.1", false},
		{"mapped private", "::ffff:192.168.0.1", false},
		{"compatible loopback", "::127.0.0.1", false},
		{"NAT64 of a private address", "64:ff9b::a00:1", false},
		{"local NAT64", "64:ff9b:1::a00:1", false},
		{"6to4 of a private address", "2002:a00:1::1", false},
		{"Teredo", "2001:0:4136:e378::1", false},
		{"IPv6 documentation", "2001:db8::1", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := fetch.Public(netip.MustParseAddr(tc.address)); got != tc.public {
				t.Errorf("Public(%s) = %v, want %v", tc.address, got, tc.public)
			}
		})
	}
}
