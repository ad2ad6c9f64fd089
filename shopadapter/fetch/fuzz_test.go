package fetch_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/fetch"
)

func FuzzSniff(f *testing.F) {
	for _, seed := range []string{"", png, jpeg, webp, gif, "GIF8", "RIFF\xff\xff\xff\xffWEBP", "<svg " +
		"xmlns='http://www.w3.org/2000/svg'>", "\xff\xd8"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		kind := fetch.Sniff(file)
		if known := slices.Contains(fetch.Types(), kind); known != (kind != "") ||
			known != (fetch.Extension(kind) != "") {
			t.Errorf("%q is %q", file, kind)
		}
		if kind != "" && fetch.Sniff(append([]byte("<"), file...)) != "" {
			t.Errorf("a page with %q in it is a picture", file)
		}
	})
}

// An IPv4 address is judged alike in every IPv6 form of it. A form that leads to it through a
// gateway is never public.
func FuzzPublic(f *testing.F) {
	for _, seed := range []string{"127.0.0.1", "169.254.169.254", "10.0.0.1", "8.8.8.8", "100.64.0.1", "0.0.0.0"} {
		a := netip.MustParseAddr(seed).As4()
		f.Add(a[:])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 {
			t.Skip("no address")
		}
		four := [4]byte(b)
		a := netip.AddrFrom4(four)
		public := fetch.Public(a)
		if public &&
			(a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified()) {
			t.Errorf("%s is public", a)
		}
		if mapped := netip.AddrFrom16(a.As16()); fetch.Public(mapped) != public {
			t.Errorf("%s and %s differ", a, mapped)
		}
		inside := func(at int, prefix ...byte) netip.Addr {
			var long [16]byte
			copy(long[:], prefix)
			copy(long[at:], four[:])
			return netip.AddrFrom16(long)
		}
		for _, long := range []netip.Addr{
			inside(12), inside(12, 0, 0x64, 0xff, 0x9b), inside(12, 0, 0x64, 0xff, 0x9b, 0, 1),
			inside(2, 0x20, 0x02), inside(12, 0x20, 0x01),
		} {
			if fetch.Public(long) {
				t.Errorf("%s is public", long)
			}
		}
	})
}
