package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

func doorLaws() []Law {
	return []Law{
		{
			ID: "health", check: checkHealth,
			Sentence: "GET {base}/health answers 200; where it names a currency, that is three capital letters.",
		}, {
			ID: "token", check: checkToken,
			Sentence: "A request without the token, or with another, is answered 401 or 403 and changes nothing.",
		},
	}
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

func checkHealth(ctx context.Context, b *bench) error {
	r, err := b.do(ctx, request{method: http.MethodGet, path: "/health"})
	if err != nil {
		return err
	}
	if r.status != http.StatusOK {
		return fmt.Errorf("the health was answered with %d", r.status)
	}
	var said struct {
		Currency *string `json:"currency"`
	}
	if json.Unmarshal(r.body, &said) == nil && said.Currency != nil && !currency.MatchString(*said.Currency) {
		return fmt.Errorf("the currency is %q", *said.Currency)
	}
	return nil
}

func checkToken(ctx context.Context, b *bench) error {
	if b.Token == "" {
		return &Skip{"PUBSYNC_HTTP_TOKEN is not set, so everybody may publish here"}
	}
	p := sample(b.id("kept"), 2)
	first, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	stranger := sample(b.id("stranger"), 1)
	for _, token := range []string{"", "x" + b.Token, b.Token[:len(b.Token)-1], "another-token"} {
		body, err := httpshop.Encode(stranger, shopadapter.AllFields)
		if err != nil {
			return err
		}
		for _, q := range []request{
			{method: http.MethodPut, path: httpshop.Path(stranger.ID), body: body},
			{method: http.MethodDelete, path: httpshop.Path(p.ID) + "?mode=delete"},
			{method: http.MethodGet, path: "/products?after="},
		} {
			q.token = &token
			r, err := b.do(ctx, q)
			if err != nil {
				return err
			}
			refused := r.status == http.StatusUnauthorized || r.status == http.StatusForbidden
			if q.method == http.MethodGet { // there may be no list, which is no secret
				refused = r.status != http.StatusOK
			}
			if !refused {
				return fmt.Errorf("%s with a wrong token, or none, was answered %d", q.method, r.status)
			}
		}
	}
	again, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	if again.ID != first.ID {
		return fmt.Errorf(
			"a DELETE with a wrong token deleted the product: it was %q and is %q now",
			first.ID,
			again.ID,
		)
	}
	there, told, err := b.there(ctx, stranger.ID)
	if err == nil && there && told {
		err = errors.New("a PUT with a wrong token made a product")
	}
	return err
}

// ignoreNoList is nil where the endpoint merely has no list: what was seen so far holds.
func ignoreNoList(err error) error {
	if errors.Is(err, noList) {
		return nil
	}
	return err
}
