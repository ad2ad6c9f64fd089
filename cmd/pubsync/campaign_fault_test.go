// The faults of marketplace and shop during a campaign.

package main_test

import (
	"math/rand/v2"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// A blow is a fault that befalls the n-th request of a kind.
type blow struct {
	kind   sandbox.Kind
	nth    int
	market sandbox.Fault  // of a request of the marketplace
	shop   shoptest.Reply // of a request of the shop
}

// marketFaults are what befalls the marketplace: answers lost before and after what was asked is
// done, halves of them, HTML, and being throttled in whichever form this marketplace has.
var marketFaults = []sandbox.Fault{
	{Kind: sandbox.Cut},
	{Kind: sandbox.Cut, Executed: true},
	{Kind: sandbox.TruncatedJSON},
	{Kind: sandbox.ServerError, Status: 500},
	{Kind: sandbox.ServerError, Status: 502, Executed: true},
	{Kind: sandbox.ServerError, Status: 503},
	{Kind: sandbox.HTML},
	{Kind: sandbox.HTML, Executed: true},
	{Kind: sandbox.ThrottledNow},
	{Kind: sandbox.InternalError},
	{Kind: sandbox.InternalError, Executed: true},
	{Kind: sandbox.EmptyList},
	{Kind: sandbox.RefusedReport},
	{Kind: sandbox.Slow, Delay: 30 * time.Millisecond},
}

var marketKinds = []sandbox.Kind{
	sandbox.KindIntrospection, sandbox.KindOther, sandbox.KindWebhooks, sandbox.KindList, sandbox.KindContent,
	sandbox.KindLook, sandbox.KindReport, sandbox.KindReport,
}

var shopFaults = []shoptest.Reply{
	{Cut: shoptest.Before},
	{Cut: shoptest.After},
	{Status: 408},
	{Status: 425},
	{Status: 429},
	{Status: 429, Err: shopadapter.Retry("too many").After(time.Second)},
	{Status: 500},
	{Status: 502},
	{Status: 503},
	{Status: 503, Err: shopadapter.Retry("too many").After(time.Second)},
	{Wait: 30 * time.Millisecond},
	{Wait: 30 * time.Millisecond, Cut: shoptest.After},
}

func drawBlows(dice *rand.Rand) []blow {
	blows := make([]blow, dice.IntN(4))
	for i := range blows {
		b := blow{nth: 1 + dice.IntN(3)}
		if dice.IntN(2) == 0 {
			b.kind, b.shop = kindPut, shopFaults[dice.IntN(len(shopFaults))]
			if dice.IntN(4) == 0 {
				b.kind, b.nth = kindDelete, 1
			}
		} else {
			b.kind, b.market = marketKinds[dice.IntN(len(marketKinds))], marketFaults[dice.IntN(len(marketFaults))]
			b.market.Next, b.market.On = 1, []sandbox.Kind{b.kind}
		}
		blows[i] = b
	}
	return blows
}
