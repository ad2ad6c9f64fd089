package client

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// A Trial is one call's search for the forms that the server accepts, after it objected to those in
// use. No other call sees it. Either other forms are proven by it, for all calls, or the objection
// is about the publication alone:
//
//	the form in use   the next form   the form in use again   for all     this call
//	accepted                                                  unchanged   answered
//	objected, unnamed                                         unchanged   own objection
//	objected, named   objected                                unchanged   own objection
//	objected, named   fails                                   unchanged   that failure
//	objected, named   accepted        accepted                unchanged   answered
//	objected, named   accepted        fails                   unchanged   that failure
//	objected, named   accepted        objected                proven      answered
//
// A report is not made twice. So the next request with reports asks for the form in use again, and
// the other form is proven when that one ends as the first did.
//
// A form that leaves something out always succeeds. So it is tried only under three conditions: the
// objection is in the words of a validation of the document; such objections have lasted for as
// long as form.InUse.Lasting says; and, for a language, the server makes the same objection for an
// id that does not exist. Errors inside the server, throttles and denied rights are no objections.
type Trial struct {
	Forms []form.Form
	proof *Reply       // to the next form, while the form in use is asked for again
	first *fault.Error // the objection to the form in use
	Over  bool         // no form is tried any more

	bare      bool            // the call does without details
	noDetails map[string]bool // it does without these, see form.Forms.NoDetails; nil: as the forms say
}

// On returns the forms that the call's next request is made of; f is those in use.
func (t *Trial) On(f form.Forms) form.Forms {
	if t.proof == nil {
		f = f.With(t.Forms)
	}
	if t.noDetails != nil {
		f.NoDetails, f.Tried = t.noDetails, true
	}
	f.Bare = f.Bare || t.bare
	return f
}

// Add adds forms to try next. It reports false where all of them have been tried.
func (t *Trial) Add(forms []form.Form) bool {
	n := len(t.Forms)
	for _, f := range forms {
		if !slices.ContainsFunc(t.Forms, func(tried form.Form) bool { return tried.Slot == f.Slot }) {
			t.Forms = append(t.Forms, f)
		}
	}
	return len(t.Forms) > n
}

// lacks reports whether some of these forms have not been tried yet.
func (t *Trial) lacks(forms []form.Form) bool {
	return slices.ContainsFunc(forms, func(f form.Form) bool {
		return !slices.ContainsFunc(t.Forms, func(tried form.Form) bool { return tried.Slot == f.Slot })
	})
}

// Omits reports whether what is tried leaves something out.
func (t *Trial) Omits() bool {
	return slices.ContainsFunc(t.Forms, func(f form.Form) bool { return f.Omits != "" })
}

// answered records the answer to a query. done is false where the query is to be sent once more in
// the form in use.
func (c *Conn) answered(ctx context.Context, t *Trial, answer *Reply) (done bool) {
	switch {
	case len(t.Forms) == 0, t.proof != nil:
		return true
	case t.Omits():
		c.Prove(ctx, t.Forms)
		return true
	}
	answer.Done() // or the next large answer would wait for it
	answer.release = nil
	t.proof = answer
	return false
}

// try records the server's objection to a query. again reports whether the query is sent once more;
// proof is the answer to it where there is one already.
func (c *Conn) try(
	ctx context.Context, t *Trial, p Priority, q Request, text string, f *failure,
) (again bool, proof *Reply) {
	if q.Rigid || f.err.Several {
		return false, nil
	}
	if q.Doc.Kind == document.Query && c.Unlearn(ctx) {
		*t = Trial{}
		return true, nil
	}
	forms, err := c.Known(ctx)
	switch {
	case err != nil || f.verdict != fault.AsInvalid:
		return false, nil
	case t.proof != nil:
		c.Prove(ctx, t.Forms)
		return true, t.proof
	case forms.Introspected:
		return c.Forms.Due(false) && c.reread(ctx), nil
	case q.Doc.Kind != document.Query: // see marketplace.Client.LookAndReport
		return false, nil
	}
	if len(t.Forms) == 0 {
		t.first = f.err
	}
	forms = t.On(forms)
	if t.Add(forms.Others(f.err.Said, text)) {
		return true, nil
	}
	omitted := forms.WithoutLanguages(f.err.Said)
	for _, language := range omitted {
		if !c.Forms.Lasting(language, form.ContentSuspicion) {
			f.err.Form = true
		}
	}
	if !f.err.Form && len(omitted) > 0 && c.lacksForAll(ctx, p, q, f.err.Said) {
		return t.Add(omitted), nil
	}
	if !f.err.Form {
		f.err = t.first
	}
	return false, nil
}

// NoPublication is an id that no publication has.
const NoPublication = "0"

// lacksForAll reports whether the server makes the same objection for an id that does not exist:
// then it is about the schema, and not about one publication.
func (c *Conn) lacksForAll(ctx context.Context, p Priority, q Request, said fault.Objection) bool {
	if _, ok := q.Vars["id"]; !ok {
		return false
	}
	q.Vars = map[string]any{"id": NoPublication}
	text := q.Doc.Text()
	res, err := c.Pay(ctx, p, q.Op, c.Costs.Reserve(q.Doc, text), nil)
	if err != nil {
		return false
	}
	answer, f := c.exchange(ctx, q, text, res)
	if f == nil {
		answer.Done()
		return false
	}
	if f.verdict != fault.AsInvalid {
		return false
	}
	for field := range said.Missing {
		if !f.err.Said.Missing[field] {
			return false
		}
	}
	return true
}
