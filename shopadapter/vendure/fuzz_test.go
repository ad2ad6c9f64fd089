package vendure_test

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

// Whatever a shop answers to everything, each call ends, in a listing or in an error that holds no password and nothing that moves a cursor.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `<html>`, `{"data":null}`, `{"errors":"some words"}`, `{"errors":[null,{"message":5,"extensions":{"code":[]}}]}`,
		`{"errors":[{"message":"s3cret-pa55word\u001b[2J","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}`,
		`{"data":{"login":{"id":"1"},"products":{"items":[null,{"id":7,"variants":[{}]}],"totalItems":1e9},"activeChannel":{"code":[]}}}`,
		`{"data":{"login":{"errorCode":"INVALID_CREDENTIALS_ERROR","message":5},"product":{"id":"1","customFields":{"pubsync":"{"}}}}`,
		`{"data":{"login":{"id":"1"},"globalSettings":{"serverConfig":{"entityCustomFields":null}},"createProduct":{"id":null}}}`,
	} {
		f.Add(uint16(200), "", []byte(seed))
	}
	f.Add(uint16(429), "1e309", []byte("slow down "+password))
	f.Add(uint16(503), "-1", []byte(password))
	f.Fuzz(func(t *testing.T, status uint16, after string, body []byte) {
		synctest.Test(t, func(t *testing.T) {
			shop := &constant{t: t}
			shop.answer = func() *http.Response {
				return respond(200+int(status)%400, "application/json", string(body), http.Header{"Retry-After": {after}, "Vendure-Auth-Token": {"session"}})
			}
			a, err := shopadapter.Open("vendure", shopadapter.Options{
				Settings:   settings(),
				HTTPClient: &http.Client{Transport: shop},
			})
			if err != nil {
				t.Fatal(err)
			}
			ref := shopadapter.Ref{Publication: "p", Listing: "1", State: body}
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
				if err != nil && (strings.Contains(err.Error(), password) || strings.ContainsFunc(err.Error(), func(r rune) bool { return unicode.IsControl(r) && r != '\n' })) {
					t.Errorf("%s: %q", name, err)
				}
			}
		})
	})
}
