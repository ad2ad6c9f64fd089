package marketplace

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
)

const fuzzToken = "t0ken-of-the-retailer"

// Whatever a server answers to everything, each operation ends after a bounded number of requests,
// in a result or in an error that holds no token and nothing that moves a cursor.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `<html>`, `{"data":null}`, `{"errors":"x"}`, `{"errors":[null,5,{"message":{"a":1}}]}`,
		`{"errors":[{"message":"Throttled"}]}`,
		`{"data":{"publications":{"edges":[{"cursor":"a","node":{"id":7,"updatedAt":1}}],"nodes":[null],` +
			`"pageInfo":{"hasNextPage":true,"endCursor":"a"}}}}`,
		`{"data":{"publication":{"id":"p","status":null,"listing":{"product":{"id":1e400},"variants":{"nodes":[{}],` +
			`"pageInfo":{"hasNextPage":true,"endCursor":null}}}}}}`,
		`{"data":{"a0":{"id":"p"},"a1":[]},"extensions":{"throttle":{"limit":-1,"remaining":1e308,"restoreRate":0,` +
			`"requestedCost":"x"}}}`,
		`{"data":{"webhooks":{"edges":[{"node":{"callbackUrl":5}}],"pageInfo":{"hasNextPage":true}},` +
			`"account":{"slug":[]},"__schema":{"types":[{"name":null}]}}}`,
	} {
		f.Add(uint16(200), "", []byte(seed))
	}
	f.Add(uint16(429), "99999999999999999999", []byte("slow down "+fuzzToken))
	f.Add(
		uint16(503), "-1",
		[]byte(`{"errors":[{"message":"`+fuzzToken+`\u001b[2J","extensions":{"code":"`+fuzzToken+`"}}]}`),
	)
	f.Fuzz(func(t *testing.T, status uint16, after string, body []byte) {
		synctest.Test(t, func(t *testing.T) {
			asked := 0
			w := &fakeWire{header: http.Header{"Retry-After": {after}}}
			w.answer = func(int, sent) (int, string) {
				if asked++; asked > 500 {
					t.Fatalf("more than 500 requests for one operation: %q; asked: got %v, want at most %v", body, asked, 500)
				}
				return 100 + int(status)%500, string(body)
			}
			c := New(Config{URL: "https://market.test", Token: fuzzToken, Languages: []string{"en"}, Transport: w})
			defer c.Close()
			for name, operation := range map[string]func(context.Context) error{
				"probe":    func(ctx context.Context) error { _, err := c.Probe(ctx); return err },
				"account":  func(ctx context.Context) error { _, err := c.Account(ctx); return err },
				"list":     func(ctx context.Context) error { _, err := c.List(ctx, Sweep, IDDesc, "cursor"); return err },
				"look":     func(ctx context.Context) error { _, err := c.Look(ctx, Sweep, []string{"p", "q"}, true); return err },
				"webhooks": func(ctx context.Context) error { _, err := c.Webhooks(ctx); return err },
				"register": func(ctx context.Context) error {
					_, err := c.RegisterWebhook(ctx, "https://hooks.test", []string{"PUBLICATION_CREATED"})
					return err
				},
				"report": func(ctx context.Context) error {
					_, err := tell(ctx, c, Report{ID: "p", Status: "success"}, Report{ID: "q", Status: "failed"})
					return err
				},
				"read": func(ctx context.Context) error {
					a, err := c.Admit(ctx, Sweep)
					if err != nil {
						return err
					}
					defer a.Release()
					_, err = c.Publication(ctx, a, Expected{ID: "p", Variants: 2})
					return err
				},
			} {
				asked = 0
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				err := operation(ctx)
				cancel()
				if err != nil &&
					(strings.Contains(err.Error(), fuzzToken) || strings.ContainsFunc(err.Error(), unicode.IsControl)) {
					t.Errorf("%s: %q", name, err)
				}
			}
		})
	})
}
