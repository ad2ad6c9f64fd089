package publication

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/pubsync/pubsync/store"
)

// ClaimSKUs is an attempt that claims the SKUs which a publication's variants want, by their ids.
// One that another variant holds is given with a suffix. Where two want the same, the first in
// order has it.
func ClaimSKUs(id string, order []string, want map[string]string) store.Attempt {
	return store.Attempt{
		ID: id, Order: order, Keys: candidates(id, order, want),
		Choose: func(held map[string]store.Owner) map[string]string { return assignSKUs(held, id, order, want) },
	}
}

// candidates is every SKU that assignSKUs may give, by store.SKUKey.
func candidates(id string, order []string, want map[string]string) []string {
	keys := make([]string, 0, (1+suffixes)*len(order))
	for _, variant := range order {
		sku := want[variant]
		if sku == "" || len(sku) > store.MaxID {
			continue
		}
		keys = append(keys, store.SKUKey(sku))
		for n := range suffixes {
			keys = append(keys, store.SKUKey(suffixed(sku, id, variant, n)))
		}
	}
	return keys
}

// assignSKUs is the SKU that each variant of a publication may use. A variant gets the one it wants
// when no other holds it, else that with a suffix made from its own identity; one that has been
// given a suffix keeps it for as long as it wants the same, whatever becomes of the other, so that
// a SKU does not change while the supplier's stays. What a variant of this publication held, and
// wants no longer, is free for its siblings.
func assignSKUs(held map[string]store.Owner, id string, order []string, want map[string]string) map[string]string {
	wants := make(map[store.Owner]string, len(order))
	of := store.OwnersOf(id)
	me := make([]store.Owner, len(order))
	for i, variant := range order {
		me[i] = of(variant)
		wants[me[i]] = store.SKUKey(want[variant])
	}
	given := make(map[string]store.Owner, len(order))
	free := func(sku string, me store.Owner) bool {
		key := store.SKUKey(sku)
		if by, ok := given[key]; ok {
			return by == me
		}
		switch by := held[key]; {
		case by == "" || by == me:
			return true
		case by.Publication() == me.Publication():
			sibling, listed := wants[by]
			return !listed || sibling == "" || key != sibling && !strings.HasPrefix(key, sibling+"-")
		default:
			return false
		}
	}
	assigned := make(map[string]string, len(order))
	for i, variant := range order {
		me := me[i]
		mine := func(sku string) bool { return held[store.SKUKey(sku)] == me }
		sku := pickSKU(want[variant], id, variant, mine, func(sku string) bool { return free(sku, me) })
		assigned[variant] = sku
		if sku != "" {
			given[store.SKUKey(sku)] = me
		}
	}
	return assigned
}

func pickSKU(want, id, variant string, mine, free func(string) bool) string {
	if want == "" || len(want) > store.MaxID {
		return want
	}
	if sku := suffixed(want, id, variant, 0); !mine(want) && mine(sku) && free(sku) {
		return sku
	}
	sku := want
	for n := 0; !free(sku) && n < suffixes; n++ {
		sku = suffixed(want, id, variant, n)
	}
	return sku
}

// suffixes is how many lengths a suffix may have: a longer one is used where the shorter is taken,
// by chance or on purpose.
const suffixes = 4

// suffixed is a SKU with the n-th form of the variant's suffix: 6, 12, 24, 48 hexadecimal digits.
func suffixed(sku, id, variant string, n int) string {
	identity := append(binary.AppendUvarint(nil, uint64(len(id))), id+variant...)
	sum := sha256.Sum256(identity)
	return sku + "-" + hex.EncodeToString(sum[:3<<n])
}
