package client

import (
	"context"
	"log/slog"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// Refusals is how many refusals of introspection that say nothing known count as trouble inside the
// server. After that the server is believed to refuse introspection.
const Refusals = 2

// Known is the forms in use. It probes when there are none yet.
func (c *Conn) Known(ctx context.Context) (form.Forms, error) {
	forms, news, err := c.Forms.Find(ctx, c.probe)
	if news {
		c.warnLanguages(ctx, forms)
	}
	return forms, err
}

func (c *Conn) probe(ctx context.Context) (form.Forms, error) {
	q := Request{Op: "probe", Doc: form.ProbeDocument(), Probe: true, Bytes: schemaAnswer}
	text := q.Doc.Text()
	var answer *Reply
	var f *failure
	for refused := (Retries{}); ; {
		res, err := c.Pay(ctx, Urgent, q.Op, 1, nil)
		if err != nil {
			return form.Forms{}, err
		}
		if answer, f = c.exchange(ctx, q, text, res); f == nil || !refused.Again(f.err) {
			break
		}
	}
	if f == nil {
		defer answer.Done()
		if forms, ok := form.Read(answer.Data, c.Forms.Wanted); ok {
			return forms, nil
		}
		return c.assumed(), nil
	}
	switch f.verdict {
	case fault.AsInvalid, fault.AsExpensive, fault.AsPage:
		if !f.counted {
			c.listable(ctx) // nothing was said of the bucket: a nearly free question is answered with what remains
		}
		return c.assumed(), nil
	case fault.AsUnknown:
		if c.Forms.Oddly() > Refusals {
			return c.assumed(), nil
		}
	case fault.AsUnauthorized:
		// Some servers refuse introspection in the words in which others refuse a token. A look at
		// the list tells them apart.
		if f.err.Status != 401 && c.listable(ctx) {
			return c.assumed(), nil
		}
	}
	return form.Forms{}, f.err
}

// listable reports whether the token is good for the list.
func (c *Conn) listable(ctx context.Context) bool {
	page := struct{ PageInfo struct{ HasNextPage bool } }{}
	q := Request{Op: "probe", Doc: document.Typed(document.Query, "Listable", nil, [2]any{"publications(first:1)", page})}
	text := q.Doc.Text()
	res, err := c.Pay(ctx, Urgent, q.Op, c.Costs.Reserve(q.Doc, text), nil)
	if err != nil {
		return false
	}
	_, f := c.exchange(ctx, q, text, res)
	return f == nil
}

// assumed is the forms of a server whose schema cannot be read.
func (c *Conn) assumed() form.Forms { return form.Assumed(c.Forms.Wanted, c.Forms.Said) }

// warnLanguages says which of the wanted languages are not asked for.
func (c *Conn) warnLanguages(ctx context.Context, f form.Forms) {
	if lacks := f.Lacks(c.Forms.Wanted); len(lacks) > 0 {
		c.Log.LogAttrs(
			ctx, slog.LevelWarn, "marketplace schema lacks languages",
			slog.String("languages", strings.Join(lacks, " ")),
		)
	}
}
