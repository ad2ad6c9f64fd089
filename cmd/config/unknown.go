package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/pubsync/pubsync/shopadapter"
)

// unknown is a fault for each variable that the program does not know, with the name that was
// probably meant.
func (e Environment) unknown() (faults []error) {
	names := known()
	for _, adapter := range shopadapter.Names() {
		for old := range renamed(adapter) {
			names[old] = false
		}
	}
	for _, l := range e.layers {
		for name, value := range l.values {
			if _, ok := names[name]; ok || value == "" || injected(name) {
				continue
			}
			names[name] = false // told once
			if near := nearest(name); near != "" {
				faults = append(faults, faultOf(name, "no such setting; did you mean %s?", near))
				continue
			}
			faults = append(faults, faultOf(name, "no such setting; pubsync adapters --env lists those that there are"))
		}
	}
	return faults
}

// known is every name that may be set.
func known() map[string]bool {
	names := map[string]bool{}
	for _, v := range Variables() {
		names[v.Name] = true
		if v.Secret {
			names[v.Name+fileForm] = true
		}
	}
	return names
}

// renamed is the settings of an adapter that became those of every shop, by the names that they had.
func renamed(adapter string) map[string]string {
	names := map[string]string{}
	f, _ := shopadapter.Lookup(adapter)
	for _, s := range f.List() {
		old, name := shopadapter.Variable(adapter, "")+s.Name, shopadapter.Variable(adapter, s.Name)
		if old != name {
			names[old] = name
		}
	}
	return names
}

func (c *Config) warnOfRenamed(e Environment) {
	names := renamed(c.ShopAdapter)
	for _, old := range slices.Sorted(maps.Keys(names)) {
		if slices.ContainsFunc(e.layers, func(l layer) bool { return l.values[old] != "" }) {
			c.warn("%s is called %s now: please rename it", old, names[old])
		}
	}
}

// injected reports whether Kubernetes sets the variable for a Service that is called pubsync.
func injected(name string) bool {
	return name == Prefix+"PORT" || strings.HasPrefix(name, Prefix+"PORT_") ||
		strings.HasPrefix(name, Prefix+"SERVICE_")
}

// nearest returns the known name that was probably meant, or "". Names are compared word by word:
// PUBSYNC_MARKUP means PUBSYNC_PRICE_MARKUP_PERCENT. A name whose words are written together is
// found by the number of edits.
func nearest(name string) (near string) {
	least := 0
	for _, candidate := range slices.Sorted(maps.Keys(known())) {
		far, ok := apart(strings.TrimPrefix(name, Prefix), strings.TrimPrefix(candidate, Prefix))
		if ok && (near == "" || far < least) {
			near, least = candidate, far
		}
	}
	return near
}

// apart returns how far a known name lies from the given one, and whether it is near. Words may be cut
// short, as WOO for WOOCOMMERCE; one that only the known name has counts for more than all edits.
func apart(given, known string) (far int, near bool) {
	const word = 100
	letters := levenshtein.ComputeDistance(given, known)
	if letters <= edits(given) {
		return letters, true
	}
	theirs := strings.Split(known, "_")
	for w := range strings.SplitSeq(given, "_") {
		at, least := -1, 0
		for i, one := range theirs {
			d, cut := levenshtein.ComputeDistance(w, one), len(w) > 2 && strings.HasPrefix(one, w)
			if cut {
				d = min(d, 1)
			}
			if (cut || d <= edits(w)) && (at < 0 || d < least) {
				at, least = i, d
			}
		}
		if at < 0 {
			return 0, false
		}
		far += least
		theirs = slices.Delete(theirs, at, at+1)
	}
	return far + word*len(theirs) + letters, true
}

// edits is how many single-character edits may lie between a text and what was meant by it.
func edits(text string) int { return len(text) / 4 }
