package client

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// Refusals is how many refusals of introspection that say nothing known count as trouble inside the
// server. After that the server is believed to refuse introspection.
const Refusals = 2

// Known is the forms in use. It probes when there are none yet, and again when they were assumed
// long ago; others go on meanwhile.
func (c *Conn) Known(ctx context.Context) (form.Forms, error) {
	forms, known := c.Forms.Now()
	switch {
	case !known:
		forms, news, err := c.Forms.Find(ctx, c.lookForForms)
		if news {
			c.warnLanguages(ctx, forms)
		}
		return forms, err
	case c.Forms.Due(true):
		c.reread(ctx)
		forms, _ = c.Forms.Now()
	}
	return forms, nil
}

// lookForForms finds the forms in memory, or by a probe.
func (c *Conn) lookForForms(ctx context.Context) (f form.Forms, recalled bool, err error) {
	if f, ok := c.recall(ctx, time.Now()); ok {
		return f, true, nil
	}
	f, err = c.probe(ctx)
	if err == nil && f.Introspected {
		c.forget(ctx)
	}
	return f, false, err
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
		return form.Read(answer.Data, c.Forms.Wanted), nil
	}
	switch f.verdict {
	case fault.AsInvalid, fault.AsExpensive, fault.AsPage:
		if !f.counted {
			c.listable(ctx) // nothing was said of the bucket: a nearly free question is answered with what remains
		}
		return form.Assumed(c.Forms.Wanted), nil
	case fault.AsUnknown:
		if c.Forms.Oddly() > Refusals {
			return form.Assumed(c.Forms.Wanted), nil
		}
	case fault.AsUnauthorized:
		// Some servers refuse introspection in the words in which others refuse a token. A look at
		// the list tells them apart.
		if f.err.Status != 401 && c.listable(ctx) {
			return form.Assumed(c.Forms.Wanted), nil
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

// reread introspects the server again. It reports whether the forms have changed.
func (c *Conn) reread(ctx context.Context) (changed bool) {
	forms, err := c.probe(ctx)
	if err != nil || !c.Forms.Replace(forms) {
		return false
	}
	c.Log.LogAttrs(ctx, slog.LevelWarn, "marketplace schema changed", slog.String("forms", forms.String()))
	c.warnLanguages(ctx, forms)
	return true
}

// warnLanguages says which of the wanted languages are not asked for.
func (c *Conn) warnLanguages(ctx context.Context, f form.Forms) {
	if lacks := f.Lacks(c.Forms.Wanted); len(lacks) > 0 {
		c.Log.LogAttrs(
			ctx, slog.LevelWarn, "marketplace schema lacks languages",
			slog.String("languages", strings.Join(lacks, " ")),
		)
	}
}

// Prove has all requests use other forms, and remembers them.
func (c *Conn) Prove(ctx context.Context, forms []form.Form) {
	news := c.Forms.Prove(forms)
	if news == nil {
		return
	}
	c.remember(ctx)
	for _, f := range forms {
		level := slog.LevelInfo
		if news[f.Name] {
			level = slog.LevelWarn
		}
		c.Log.LogAttrs(ctx, level, "marketplace accepts another form",
			slog.String("form", f.Name), slog.String("for", form.FormsKept.String()))
	}
}

// Afresh has every form that had to be assumed found out anew. What introspection said stands.
func (c *Conn) Afresh(ctx context.Context) {
	if c.Forms.Afresh() {
		c.forget(ctx)
	}
}
