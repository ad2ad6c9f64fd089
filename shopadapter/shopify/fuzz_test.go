package shopify_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// A constant answers every request alike, up to a number that no operation needs.
type constant struct {
	t      *testing.T
	answer func() *http.Response
	asked  int
}

func (c *constant) RoundTrip(*http.Request) (*http.Response, error) {
	if c.asked++; c.asked > 500 {
		c.t.Error("more than 500 requests for one call")
		return nil, errors.New("enough")
	}
	return c.answer(), nil
}

// Whatever a shop answers to everything, each call ends, in a listing or in an error that holds no token and nothing that moves a cursor.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `<html>`, `{"data":null}`, `{"errors":"some words"}`, `{"errors":[null,{"message":5,"extensions":{"code":[]}}]}`,
		`{"errors":[{"message":"shpat_0123\u001b[2J","extensions":{"code":"THROTTLED","cost":1e400}}]}`,
		`{"data":{"productByIdentifier":{"id":7,"variants":{"nodes":[null,{}],"pageInfo":{"hasNextPage":true,"endCursor":"a"}}}}}`,
		`{"data":{"productSet":{"product":null,"userErrors":[{"field":["input",5],"message":null}]}},"extensions":{"cost":{"throttleStatus":{"maximumAvailable":-1}}}}`,
		`{"data":{"shop":{"currencyCode":""},"locations":{"nodes":[{"id":"a"}],"pageInfo":{"hasNextPage":true}},"node":{"status":"RUNNING"}}}`,
	} {
		f.Add(uint16(200), "", []byte(seed))
	}
	f.Add(uint16(429), "1e309", []byte("slow down "+token))
	f.Add(uint16(503), "-1", []byte(token))
	f.Fuzz(func(t *testing.T, status uint16, after string, body []byte) {
		synctest.Test(t, func(t *testing.T) {
			shop := &constant{t: t}
			shop.answer = func() *http.Response {
				return respond(200+int(status)%400, string(body), http.Header{"Retry-After": {after}})
			}
			a, err := shopadapter.Open("shopify", shopadapter.Options{
				Settings:   map[string]string{"STORE": "lamps.myshopify.com", "TOKEN": token, "API_VERSION": "2026-07", "PUBLICATION": "Online Store"},
				HTTPClient: &http.Client{Transport: shop},
			})
			if err != nil {
				t.Fatal(err)
			}
			ref := shopadapter.Ref{Publication: "p", Listing: "gid://shopify/Product/1", State: body}
			for name, call := range map[string]func(context.Context) error{
				"publish": func(ctx context.Context) error {
					_, err := a.Publish(ctx, ref, shopadaptertest.Sample("p", 2), shopadapter.AllFields)
					return err
				},
				"unpublish": func(ctx context.Context) error { return a.Unpublish(ctx, ref, shopadapter.Delete) },
				"check":     func(ctx context.Context) error { return a.(shopadapter.Checker).Check(ctx) },
			} {
				shop.asked = 0
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				err := call(ctx)
				cancel()
				if err != nil && (strings.Contains(err.Error(), token) || strings.ContainsFunc(err.Error(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' })) {
					t.Errorf("%s: %q", name, err)
				}
			}
		})
	})
}
