package laws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func bodyLaws() []Law {
	return []Law{
		{
			ID: "problem", needs: needs(endpoint()), check: checkProblem,
			Sentence: "A body that is no product is refused with 400, 409, 413 or 422 and a problem (RFC 9457) whose " +
				"\"detail\" or \"title\" a person can read.",
		}, {
			ID: "cut-off", needs: needs(endpoint()), check: checkCutOff,
			Sentence: "A body that is cut off changes nothing.",
		}, {
			ID: "text-is-data", needs: needs(endpoint()), check: checkText,
			Sentence: "Texts are data: markup, quotes, emoji and unknown members neither break the endpoint nor are " +
				"a reason to refuse.",
		}, {
			ID: "large", needs: needs(endpoint()), check: checkLarge,
			Sentence: "A product of a hundred variants and a long description is made, or refused with 413 or 422, " +
				"and never with a 5xx.",
		},
	}
}

func checkProblem(ctx context.Context, b *bench) error {
	p := b.sample(b.id("kept"), 2)
	first, err := b.whole(ctx, p)
	if err != nil {
		return err
	}
	for _, body := range []string{"{", ""} {
		r, err := b.send(ctx, Request{Method: http.MethodPut, Path: b.Endpoint.Path(p.ID), Body: []byte(body)})
		if err != nil {
			return err
		}
		if !slices.Contains([]int{400, 409, 413, 422}, r.Status) {
			return fmt.Errorf("the status of the body %q: got %d, want 400, 409, 413 or 422", body, r.Status)
		}
		if err := readable(r); err != nil {
			return fmt.Errorf("the body %q: %w", body, err)
		}
	}
	again, err := b.whole(ctx, p)
	if err != nil {
		return err
	}
	return same(first, again)
}

// readable is nil when the answer is a problem that tells a person something.
func readable(r Reply) error {
	var problem struct{ Title, Detail string }
	if err := json.Unmarshal(r.Body, &problem); err != nil {
		return fmt.Errorf("the refusal: got no JSON (%w), want an object with a \"title\" and a \"detail\"", err)
	}
	if strings.TrimSpace(problem.Title+problem.Detail) == "" {
		return errors.New(`the refusal: got neither "title" nor "detail", want one of them`)
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/problem+json" && kind != "application/json" {
		return fmt.Errorf(
			"the content type of the refusal: got %q, want application/problem+json", r.Header.Get("Content-Type"),
		)
	}
	return nil
}

func checkCutOff(ctx context.Context, b *bench) error {
	p := b.sample(b.id("kept"), 3)
	first, err := b.whole(ctx, p)
	if err != nil {
		return err
	}
	half := b.sample(p.ID, 1)
	half.Description = strings.Repeat("<p>long</p>", 2000)
	fresh := b.sample(b.id("never"), 1)
	fresh.Description = half.Description
	for _, q := range []shopadapter.Product{half, fresh} {
		body, err := b.Endpoint.Body(q, shopadapter.AllFields)
		if err != nil {
			return err
		}
		cut := Request{Method: http.MethodPut, Path: b.Endpoint.Path(q.ID), Body: body, Half: true}
		// An answer may come before the body is whole, and is judged by its status.
		if r, err := b.send(ctx, cut); err == nil && r.Status/100 == 2 {
			return fmt.Errorf("the status of half a body: got %d, want none, or a refusal", r.Status)
		}
	}
	if err := b.absent(ctx, fresh.ID); err != nil {
		return fmt.Errorf("after half a body: %w", err)
	}
	again, err := b.whole(ctx, p)
	if err != nil {
		return err
	}
	return same(first, again)
}

func checkText(ctx context.Context, b *bench) error {
	for i, text := range []string{
		`<script>alert(1)</script>`, `"quotes", 'apostrophes' & \backslashes`,
		"emoji 🌱 und Umlaute äöü, Привет, 日本語", `{{ template }} {% tag %} ${x}`, "'; DROP TABLE products; --",
	} {
		p := b.sample(b.id(fmt.Sprint(i)), 2)
		p.Title = text
		p.Variants[0].Title = text
		body, err := b.Endpoint.Body(p, shopadapter.AllFields)
		if err != nil {
			return err
		}
		body = append([]byte(`{"aMemberOfALaterVersion":{"x":[1,2]},`), body[1:]...)
		r, err := b.send(ctx, Request{Method: http.MethodPut, Path: b.Endpoint.Path(p.ID), Body: body})
		if err != nil {
			return err
		}
		if _, err := b.accepted(r); err != nil {
			return fmt.Errorf("the title %q: %w", text, err)
		}
	}
	return nil
}

func checkLarge(ctx context.Context, b *bench) error {
	p := b.sample(b.id("a"), 100)
	p.Description = strings.Repeat("<p>All that can be said of a lantern.</p>", 1500)
	body, err := b.Endpoint.Body(p, shopadapter.AllFields)
	if err != nil {
		return err
	}
	r, err := b.send(ctx, Request{Method: http.MethodPut, Path: b.Endpoint.Path(p.ID), Body: body})
	if err != nil {
		return err
	}
	if r.Status == http.StatusRequestEntityTooLarge || r.Status == http.StatusUnprocessableEntity {
		return readable(r)
	}
	a, err := b.accepted(r)
	if err != nil {
		return err
	}
	if n := len(a.Variants) + len(a.Refused); a.Variants != nil && n != len(p.Variants) {
		return fmt.Errorf(`variants that "variants" and "refused" name: got %d, want %d`, n, len(p.Variants))
	}
	return nil
}
