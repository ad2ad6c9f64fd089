package laws

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"

	"github.com/pubsync/pubsync/shopadapter"
)

func doorLaws() []Law {
	return []Law{
		{
			ID: "health", needs: needs(endpoint()), check: checkHealth,
			Sentence: "GET {base}/health answers 200; where it names a currency, that is three capital letters.",
		}, {
			ID: "token", needs: needs(endpoint()), check: checkToken,
			Sentence: "A request without the token, or with another, is answered 401 or 403 and changes nothing.",
		},
	}
}

var currency = regexp.MustCompile(`^[A-Z]{3}$`)

func checkHealth(ctx context.Context, b *bench) error {
	r, err := b.send(ctx, Request{Method: http.MethodGet, Path: "/health"})
	if err != nil {
		return err
	}
	if r.Status != http.StatusOK {
		return fmt.Errorf("the status of the health: got %d, want 200", r.Status)
	}
	var said struct {
		Currency *string `json:"currency"`
	}
	if json.Unmarshal(r.Body, &said) == nil && said.Currency != nil && !currency.MatchString(*said.Currency) {
		return fmt.Errorf("the currency: got %q, want three capital letters", *said.Currency)
	}
	return nil
}

func checkToken(ctx context.Context, b *bench) error {
	own := b.Endpoint.Token()
	if own == "" {
		return &Skip{"PUBSYNC_HTTP_TOKEN is not set, so everybody may publish here"}
	}
	p, stranger := b.sample(b.id("kept"), 2), b.sample(b.id("stranger"), 1)
	first, err := b.whole(ctx, p)
	if err != nil {
		return err
	}
	body, err := b.Endpoint.Body(stranger, shopadapter.AllFields)
	if err != nil {
		return err
	}
	for _, token := range []string{"", "x" + own, own[:len(own)-1], "another-token"} {
		for _, q := range []Request{
			{Method: http.MethodPut, Path: b.Endpoint.Path(stranger.ID), Body: body},
			{Method: http.MethodDelete, Path: b.Endpoint.Path(p.ID) + "?mode=delete"},
			{Method: http.MethodGet, Path: "/products?after="},
		} {
			q.Token = &token
			r, err := b.send(ctx, q)
			if err != nil {
				return err
			}
			refused := r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden
			if q.Method == http.MethodGet { // there may be no list, which is no secret
				refused = r.Status != http.StatusOK
			}
			if !refused {
				return fmt.Errorf("%s with a wrong token, or none: got %d, want 401 or 403", q.Method, r.Status)
			}
		}
	}
	again, err := b.whole(ctx, p)
	if err == nil {
		err = same(first, again)
	}
	if err != nil {
		return fmt.Errorf("after a DELETE with a wrong token: %w", err)
	}
	if err := b.absent(ctx, stranger.ID); err != nil {
		return fmt.Errorf("after a PUT with a wrong token: %w", err)
	}
	return nil
}
