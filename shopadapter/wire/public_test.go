package wire

import (
	"net/netip"
	"strings"
	"testing"
)

func TestPublic(t *testing.T) {
	for kind, addresses := range map[string]string{
		"public":            "93.184.215.14 2606:4700:4700::1111 ::ffff:93.184.215.14",
		"public, beside":    "172.32.0.1 168.63.129.17 100.128.0.1", // private, Azure's, carrier-grade NAT
		"loopback":          "127.0.0.1 127.9.8.7 ::1 ::ffff:127.0.0.1 ::127.0.0.1",
		"private":           "10.0.0.1 172.31.255.254 192.168.1.1 ::ffff:192.168.0.1 fd00:ec2::254 fec0::1",
		"link-local":        "169.254.169.254 169.254.170.2 169.254.170.23 fe80::1 fe80::1%eth0",
		"clouds' platforms": "168.63.129.16 ::ffff:168.63.129.16 100.100.100.200 192.0.0.192 fd00:42::42 fd00:ec2::23",
		"shared":            "100.64.0.1 100.127.255.255",
		"nobody's":          "0.0.0.0 0.1.2.3 :: 240.0.0.1 192.0.2.10 198.19.255.255 2001:db8::1",
		"everybody's":       "224.0.0.251 ff02::1 255.255.255.255",
		"translated":        "64:ff9b::a00:1 64:ff9b:1::a00:1 2002:a00:1::1 2001:0:4136:e378::1",
	} {
		for address := range strings.FieldsSeq(addresses) {
			want := strings.HasPrefix(kind, "public")
			if got := isPublic(netip.MustParseAddr(address)); got != want {
				t.Errorf("%s, %s: got public %t, want %t", address, kind, got, want)
			}
		}
	}
}
