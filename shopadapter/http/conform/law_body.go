package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

func bodyLaws() []Law {
	return []Law{
		{
			ID: "problem", check: checkProblem,
			Sentence: "A body that is no product is refused with 400, 409, 413 or 422 and a problem (RFC 9457) whose " +
				"\"detail\" or \"title\" a person can read.",
		}, {
			ID: "cut-off", check: checkCutOff,
			Sentence: "A body that is cut off changes nothing.",
		}, {
			ID: "text-is-data", check: checkText,
			Sentence: "Texts are data: markup, quotes, emoji and unknown members neither break the endpoint nor are " +
				"a reason to refuse.",
		}, {
			ID: "large", check: checkLarge,
			Sentence: "A product of a hundred variants and a long description is made, or refused with 413 or 422, " +
				"and never with a 5xx.",
		},
	}
}

func checkProblem(ctx context.Context, b *bench) error {
	p := sample(b.id("kept"), 2)
	first, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	for _, body := range []string{"{", ""} {
		r, err := b.do(ctx, request{method: http.MethodPut, path: httpshop.Path(p.ID), body: []byte(body)})
		if err != nil {
			return err
		}
		switch r.status {
		case http.StatusBadRequest,
			http.StatusConflict,
			http.StatusRequestEntityTooLarge,
			http.StatusUnprocessableEntity:
		default:
			return fmt.Errorf("the body %q was answered %d", body, r.status)
		}
		if err := readProblem(r); err != nil {
			return fmt.Errorf("the body %q: %w", body, err)
		}
	}
	again, err := b.published(ctx, p)
	if err == nil && again.ID != first.ID {
		err = fmt.Errorf("the listing was %q and is %q", first.ID, again.ID)
	}
	return err
}

// readProblem is nil when the answer is a problem that tells a person something.
func readProblem(r reply) error {
	var problem struct{ Title, Detail string }
	if err := json.Unmarshal(r.body, &problem); err != nil {
		return fmt.Errorf("the refusal is no JSON object with a \"title\" and a \"detail\": %w", err)
	}
	if strings.TrimSpace(problem.Title+problem.Detail) == "" {
		return errors.New(`the refusal has neither "title" nor "detail"`)
	}
	if kind, _, err := mime.ParseMediaType(r.header.Get("Content-Type")); err != nil ||
		kind != "application/problem+json" && kind != "application/json" {
		return fmt.Errorf(
			"the refusal has the content type %q: application/problem+json is wanted",
			r.header.Get("Content-Type"),
		)
	}
	return nil
}

// A severed body ends in the middle with an error, so that the connection is closed before all that
// was promised has been sent.
type severed struct{ io.Reader }

var errSevered = errors.New("cut off on purpose")

func (s severed) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errSevered
	}
	return n, err
}

// cut sends the first half of a body and closes the connection.
func (b *bench) cut(ctx context.Context, p shopadapter.Product) error {
	body, err := httpshop.Encode(p, shopadapter.AllFields)
	if err != nil {
		return err
	}
	path := httpshop.Path(p.ID)
	req, err := http.NewRequestWithContext(
		ctx,
		http.MethodPut,
		strings.TrimRight(b.URL, "/")+path,
		severed{bytes.NewReader(body[:len(body)/2])},
	)
	if err != nil {
		return err
	}
	req.ContentLength = int64(len(body))
	req.Header.Set("Content-Type", "application/json")
	if b.Token != "" {
		req.Header.Set("Authorization", "Bearer "+b.Token)
	}
	seen := Exchange{Request: "PUT " + path + " (cut off in the middle)", Body: b.show(body[:len(body)/2])}
	res, err := b.Client.Do(req)
	if err == nil {
		seen.Status = res.StatusCode
		_ = res.Body.Close() //nolint:errcheck // the answer was given before the body was whole, and is judged by its status
		if res.StatusCode/100 == 2 {
			b.note(seen)
			return fmt.Errorf("half a body was answered %d", res.StatusCode)
		}
	}
	b.note(seen)
	return nil
}

func checkCutOff(ctx context.Context, b *bench) error {
	p := sample(b.id("kept"), 3)
	first, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	half := sample(p.ID, 1)
	half.Description = strings.Repeat("<p>long</p>", 2000)
	fresh := sample(b.id("never"), 1)
	fresh.Description = half.Description
	for _, q := range []shopadapter.Product{half, fresh} {
		if err := b.cut(ctx, q); err != nil {
			return err
		}
	}
	there, told, err := b.there(ctx, fresh.ID)
	if err == nil && there && told {
		err = errors.New("half a body made a product")
	}
	if err != nil {
		return err
	}
	again, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	if again.ID != first.ID {
		return fmt.Errorf("the listing was %q and is %q", first.ID, again.ID)
	}
	for id, was := range first.Variants {
		if again.Variants[id] != was { // the body is the one of before
			return fmt.Errorf("variant %s was %q and is %q", id, was, again.Variants[id])
		}
	}
	return nil
}

func checkText(ctx context.Context, b *bench) error {
	for i, text := range []string{
		`<script>alert(1)</script>`, `"quotes", 'apostrophes' & \backslashes`, "emoji 🌱 und Umlaute äöü, Привет, 日本語", `{{ template }} {% tag %} ${x}`, "'; DROP TABLE products; --",
	} {
		p := sample(b.id(fmt.Sprint(i)), 2)
		p.Title = text
		p.Variants[0].Title = text
		body, err := httpshop.Encode(p, shopadapter.AllFields)
		if err != nil {
			return err
		}
		body = append([]byte(`{"aMemberOfALaterVersion":{"x":[1,2]},`), body[1:]...)
		r, err := b.do(ctx, request{method: http.MethodPut, path: httpshop.Path(p.ID), body: body})
		if err != nil {
			return err
		}
		if _, err := readListing(r); err != nil {
			return fmt.Errorf("the title %q: %w", text, err)
		}
	}
	return nil
}

func checkLarge(ctx context.Context, b *bench) error {
	p := sample(b.id("a"), 100)
	p.Description = strings.Repeat("<p>All that can be said of a lantern.</p>", 1500)
	r, err := b.put(ctx, p)
	if err != nil {
		return err
	}
	if r.status == http.StatusRequestEntityTooLarge || r.status == http.StatusUnprocessableEntity {
		return readProblem(r)
	}
	l, err := readListing(r)
	if err != nil {
		return err
	}
	if l.Variants != nil && len(l.Variants)+len(l.Refused) != len(p.Variants) {
		return fmt.Errorf(
			`"variants" and "refused" name %d variants of %d`,
			len(l.Variants)+len(l.Refused),
			len(p.Variants),
		)
	}
	return nil
}
