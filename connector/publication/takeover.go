package publication

import (
	"cmp"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// TakeOver takes over a listing that the shop holds as ours, where the store was lost: prices and
// quantities that it shows count as written, so that the brake holds them and what was sold is not
// put back. It reports whether there is something to write.
func TakeOver(e *store.Entry, o Shown, now time.Time) bool {
	r := &e.Record
	if e.Known && r.ShopID != "" {
		return false
	}
	r.ShopID, r.ShopState = string(cmp.Or(o.Ref.Listing, o.ID)), o.Ref.State
	r.URL, r.URLListed = o.URL, isWebAddress(o.URL)
	r.Sale = store.Off
	if o.OnSale {
		r.Sale = store.OnSale
	}
	r.Variants = nil
	for _, v := range o.Variants {
		amount, err := parseAmount(v.Price)
		if err != nil || amount.IsZero() {
			continue
		}
		r.Variants = append(r.Variants, store.Variant{
			ID: v.ID, ShopID: v.ShopID, SKU: v.SKU,
			Written: store.Written{
				Price: amount.StringFixed(2), Quantity: v.Quantity, Backorders: v.Backorders || v.Uncounted, Offered: -1,
			},
		})
	}
	r.Dirty, r.ListedAt = shopadapter.AllFields, store.At(now)
	r.State = StateOf(*r)
	return true
}

// Suspect records that the shop may hold something else than the record says, since its store is a
// backup that was put back. The next look writes the listing whole, and nothing is reported before.
func Suspect(e *store.Entry, now time.Time) {
	r := &e.Record
	if r.ShopID != "" || r.WrittenAt != 0 || r.Unsure() != 0 {
		r.Dirty = shopadapter.AllFields
	}
	r.Attempt.Lost = true // something may have been sent to the shop since the backup
	m := store.Mark{Class: store.ClassRefresh, At: store.At(now)}
	if e.Owed != nil {
		e.Owed, m.Class = nil, store.ClassFull
	}
	e.Note(m)
}

// SameAddress reports whether two addresses are one: the case of scheme and host, a final dot of the
// host, the default port and final slashes make no difference.
func SameAddress(a, b string) bool {
	return a == b || plainAddress(a) != "" && plainAddress(a) == plainAddress(b)
}

// plainAddress is an address without what makes no difference, "" for none.
func plainAddress(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return ""
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	return strings.Join([]string{scheme, hostOf(u), port, strings.TrimRight(u.Path, "/"), u.RawQuery, u.Fragment}, " ")
}

func hostOf(u *url.URL) string { return strings.TrimRight(strings.ToLower(u.Hostname()), ".") }

// isPrivateHost reports whether the host of an address is one that customers cannot reach.
func isPrivateHost(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	host := hostOf(u)
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !ip.IsGlobalUnicast() || ip.IsPrivate()
	}
	private := []string{".localhost", ".local", ".internal", ".test"}
	return !strings.Contains(host, ".") ||
		slices.ContainsFunc(private, func(end string) bool { return strings.HasSuffix(host, end) })
}

// movesTo reports whether the address that the shop lists takes the place of the one that is known. A
// worker that reaches the shop by a private name is shown that name.
func movesTo(known, listed string) bool {
	return isWebAddress(listed) && !SameAddress(known, listed) &&
		(!isPrivateHost(listed) || known == "" || isPrivateHost(known))
}
