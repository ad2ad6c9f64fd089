package story_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/story"
)

var (
	randomStories = flag.Int("stories", 1, "how many random stories are played")
	randomSeed    = flag.Uint64("stories.seed", rand.Uint64(), "of the first of them")
)

// Whatever the supplier, the retailer, the merchant and the shop have done, a plan after two full runs is empty, and
// once everything is given back and approved the shop is the import list. Each story is told where it fails.
func TestRandomStories(t *testing.T) {
	for i := range uint64(*randomStories) { //nolint:gosec // a few
		seed := *randomSeed + i
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			told := randomStory(rand.New(rand.NewPCG(seed, 0))) //nolint:gosec // a story, no secret
			file := filepath.Join(t.TempDir(), "random.story")
			if err := os.WriteFile(file, []byte(told), 0o600); err != nil {
				t.Fatal(err)
			}
			defer func() {
				if t.Failed() {
					t.Log("\n" + told)
				}
			}()
			synctest.Test(t, func(t *testing.T) {
				e := newEngine(t)
				story.Play(t, file, story.World{Market: e.market, Shop: e.shop, Subject: e})
			})
		})
	}
}

func randomStory(d *rand.Rand) string {
	var lines []string
	say := func(format string, a ...any) { lines = append(lines, fmt.Sprintf(format, a...)) }
	pick := func(of ...string) string { return of[d.IntN(len(of))] }
	names, msrp, stock := []string{"lamp", "chair", "bench", "vase"}, map[string]int{}, map[string]int{}
	say("with lists observes %s", pick("", "figures", "literal"))
	say("set ON_SOLD_OUT=%s", pick("show", "hide"))
	for _, name := range names {
		msrp[name], stock[name] = 20, 5
		say("list %s cost=10 msrp=20 stock=5", name)
	}
	say("run -> created 4")
	for range 12 + d.IntN(12) {
		n := names[d.IntN(3)] // the last stays as it is: a shop that lost all of them proves nothing
		switch d.IntN(18) {
		case 0:
			msrp[n] = 20 + d.IntN(30)
			say("supply %s msrp=%d", n, msrp[n])
		case 1:
			stock[n] = 1 + d.IntN(12)
			say("supply %s stock=%d", n, stock[n])
		case 2:
			say("supply %s title=Theirs-%d pictures=https://images.example/%d.png", n, d.IntN(9), d.IntN(3))
		case 3:
			say("supply %s variants=%d", n, 1+d.IntN(3))
		case 4:
			say("supply %s listing=none", n)
			say("%s", pick("run", "wait 1s"))
			say("supply %s listing=back", n)
		case 5:
			say("unlist %s", n)
			say("%s", pick("run full", "wait 1s"))
			say("relist %s", n)
		case 6:
			say("hand %s price=%d", n, 5+d.IntN(60))
		case 7:
			say("hand %s stock=%d title=Ours-%d", n, d.IntN(12), d.IntN(9))
		case 8:
			say("hand %s %s", n, pick("hide", "show", "off", "on", "delete", "sold=1"))
		case 9:
			say("shop-fails retry cut=%s times=%d", pick("before", "after", "half"), 1+d.IntN(3))
		case 10:
			say("shop-fails late times=%d", 1+d.IntN(2))
		case 11:
			say("set PRICE_MARKUP_PERCENT=%d", d.IntN(3)*10)
			say("run")
			say("set PRICE_MARKUP_PERCENT=0")
		case 12:
			say("start")
			say("webhook %s %s", n, pick("", "unsigned", "product"))
			say("wait %s", pick("1s", "1m", "10m"))
			say("stop")
		case 13:
			say("lose")
			say("run")
		case 14:
			say("retry %s %s", n, pick("", "reset"))
		case 15:
			say("wait %s", pick("1s", "1h", "25h"))
		default:
			say("run %s", pick("", "full"))
		}
	}
	for _, line := range []string{"shop-works", "wait 1h", "run full", "run full", "plan -> nothing"} {
		say("%s", line)
	}
	for range 3 { // a brake holds the next change of a price only once the last was approved
		say("wait 1s")
		say("retry %s reset", strings.Join(names, " "))
		say("run")
		say("approve any")
		say("run")
	}
	for _, n := range names {
		say("shop %s on price=%d stock=%d", n, msrp[n], stock[n])
		say("state %s live; reported %s success", n, n)
	}
	say("plan -> nothing")
	say("run full -> exit 0 updated 0")
	return strings.Join(lines, "\n")
}
