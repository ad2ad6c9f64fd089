package harness

import (
	"strings"
	"sync/atomic"
)

// PicturesAway has the server of the first pictures be down, until set(false).
func PicturesAway(b *Bench) (set func(bool)) {
	var down atomic.Bool
	b.Shop.Miss = func(address string) (string, bool) {
		if down.Load() && strings.Contains(address, "-1.png") {
			return "the host answered 503", true
		}
		return "", false
	}
	down.Store(true)
	return down.Store
}
