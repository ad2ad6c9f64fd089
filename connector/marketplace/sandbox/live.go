package sandbox

import (
	"context"
	"maps"
	"slices"
	"time"
)

// firstOfLive is when the first change comes: a person who has just started a sandbox is still
// watching.
const firstOfLive = time.Second

// day is the orders that Live gives, in their order. The doubled price is one that the price brake
// of a connector holds.
var day = []Order{
	{Do: []string{"price", "any", "x1.08"}},
	{Do: []string{"price", "any", "x2.2"}},
	{Do: []string{"add"}},
	{Do: []string{"stock", "any", "3"}},
	{Do: []string{"text", "any"}, HTML: "<p>A better description, as suppliers write them on a quiet afternoon.</p>"},
	{Do: []string{"price", "any", "x0.92"}},
	{Do: []string{"images", "any", "2"}},
	{Do: []string{"add"}},
	{Do: []string{"variants", "any", "3"}},
	{Do: []string{"stock", "any", "0"}},
	{Do: []string{"remove", "any"}},
	{Do: []string{"relist", "any"}},
}

// quietFor is how long Live leaves a publication alone after a change: a connector may follow
// unsigned webhooks for one publication once a minute.
const quietFor = time.Minute

// Live carries out an order every so often until ctx ends, the first within a second: prices,
// stock, texts, pictures, variants, imports, removals. The functions of OnOrder get the outcomes.
func (m *Marketplace) Live(ctx context.Context, every time.Duration) {
	next := min(every, firstOfLive)
	changed := map[string]time.Time{}
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case now := <-time.After(next):
			next = every
			maps.DeleteFunc(changed, func(_ string, at time.Time) bool { return now.Sub(at) > quietFor })
		}
		o := day[n%len(day)]
		if o.Do = slices.Clone(o.Do); len(o.Do) > 1 && o.Do[0] != "relist" {
			id, err := m.pick(slices.Collect(maps.Keys(changed))...)
			if err != nil {
				continue // a list without a product that can be sold: the next order may be an import
			}
			o.Do[1] = id
		}
		done, _ := m.Carry(o) //nolint:errcheck // the list may have changed since
		for _, id := range done.IDs {
			changed[id] = time.Now()
		}
	}
}
