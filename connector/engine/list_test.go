package engine_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A list that repeats its page under ever new cursors ends the run with exit 3 and removes nothing. A
// list in which an entry moves to the end again and again, since it changes while the list is read, is none.
func TestListThatRepeats(t *testing.T) {
	const pages = 50
	for _, c := range []struct {
		name    string
		updated func(page int) int // the second of updatedAt on a page
		exit    int
		error   string
		most    int // pages that are asked for
	}{
		{"its page", func(int) int { return 0 }, desk.ExitMarketplace, "has no end", 25},
		{"an entry that changes", func(page int) int { return page }, desk.ExitOK, "", pages},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				id := b.Market.AddSound(1)[0]
				b.Once(false)
				f, asked := b.Forge(), 0
				f.Answer = func(operation, body string) string {
					if operation != "List" || !strings.Contains(body, "UPDATED_AT_ASC") {
						return ""
					}
					asked++
					return fmt.Sprintf(`{"data":{"publications":{"nodes":[{"id":%q,"updatedAt":"2026-01-01T00:00:%02dZ",`+
						`"status":"success"}],"pageInfo":{"hasNextPage":%t,"endCursor":"c%d"}}}}`,
						id, c.updated(asked), asked%pages != 0, asked)
				}
				s := b.Once(false)
				if s.Exit != c.exit || !strings.Contains(s.Error, c.error) || asked > c.most {
					t.Errorf("exit %d and %q after %d pages, want %d and %q after %d at most",
						s.Exit, s.Error, asked, c.exit, c.error, c.most)
				}
				if p, _ := b.Shop.Get(id); !p.OnSale {
					t.Error("the product is off sale, want it to stay")
				}
			})
		})
	}
}
