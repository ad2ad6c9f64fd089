package marketplace

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
)

var firstArgument = regexp.MustCompile(`(channels|webhooks)\(first:(\d+)`)

// The specification shows no argument after for channels and webhooks: a marketplace that refuses
// it shows a hundred of them all the same.
func TestListsWithoutTheArgumentAfter(t *testing.T) {
	const there = 30
	answer := func(_ int, s sent) (int, string) {
		m := firstArgument.FindStringSubmatch(strings.ReplaceAll(s.Query, " ", ""))
		if m == nil || strings.Contains(s.Query, "after") {
			return 200, `{"errors":[{"message":"Unknown argument 'after' on field of type 'Query'."}]}`
		}
		n, _ := strconv.Atoi(m[2])
		nodes := make([]string, min(n, there))
		for i := range nodes {
			nodes[i] = fmt.Sprintf(`{"id":"%d"}`, i)
		}
		return 200, data(
			fmt.Sprintf(
				`{%q:{"nodes":[%s],"pageInfo":{"hasNextPage":%t,"endCursor":"c"}}}`, m[1], strings.Join(nodes, ","),
				n < there,
			),
		)
	}
	for name, count := range map[string]func(context.Context, *Client) (int, error){
		"webhooks": func(ctx context.Context, c *Client) (int, error) {
			hooks, err := c.Webhooks(ctx)
			return len(hooks), err
		},
		"channels": func(ctx context.Context, c *Client) (int, error) {
			d, err := c.Directory(ctx, "en", PartChannels)
			return len(d.Channels), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &fakeWire{answer: answer}
				if n, err := count(t.Context(), known(t, w)); err != nil || n != there || len(w.seen) != 2 {
					t.Errorf("%d of %d in %d requests, %v", n, there, len(w.seen), err)
				}
			})
		})
	}
}
