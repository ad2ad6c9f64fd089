package marketplace

import (
	"context"
	"slices"
)

// A trial is one call's search for the forms that the server takes, after it objected to those in
// use. No other call sees it. All that comes of it is that forms are proven, for all, or that the
// objection is the publication's own:
//
//	the form in use   the next form   the form in use again   for all     this call
//	taken                                                     unchanged   answered
//	objected, unnamed                                         unchanged   own objection
//	objected, named   objected                                unchanged   own objection
//	objected, named   fails                                   unchanged   that failure
//	objected, named   taken           taken                   unchanged   answered
//	objected, named   taken           fails                   unchanged   that failure
//	objected, named   taken           objected                proven      answered
//
// A report is not made twice: the form in use is asked for again by the next request with reports,
// and the next form is proven when that one ends as the first did. What leaves something out always
// succeeds. So it is tried only where the words are those of a validation of the document (see
// lacks), for as long as schemaVariants.lasting says without a success in between, and for a
// language also for an id that does not exist. Errors inside the server, throttles and denied
// rights are no objections.
type trial struct {
	forms []form
	proof *reply // to the next form, while the form in use is asked for again
	first *Error // the objection to the form in use
	over  bool   // no form is tried any more
}

// on is the forms that the call's next request is made of.
func (t *trial) on(f Forms) Forms {
	if t.proof != nil {
		return f
	}
	return f.with(t.forms)
}

// add takes in forms to try next. It reports false where all of them were tried.
func (t *trial) add(forms []form) bool {
	n := len(t.forms)
	for _, f := range forms {
		if !slices.ContainsFunc(t.forms, func(tried form) bool { return tried.slot == f.slot }) {
			t.forms = append(t.forms, f)
		}
	}
	return len(t.forms) > n
}

// omits reports whether what is tried leaves something out.
func (t *trial) omits() bool {
	return slices.ContainsFunc(t.forms, func(f form) bool { return f.omits != "" })
}

// answered takes in the answer to a query. done is false where the form in use is to be asked for
// once more.
func (r *Reader) answered(ctx context.Context, t *trial, answer *reply) (done bool) {
	switch {
	case len(t.forms) == 0, t.proof != nil:
		return true
	case t.omits():
		r.prove(ctx, t.forms)
		return true
	}
	answer.done() // its turn, lest the next answer waits for it
	answer.release = nil
	t.proof = answer
	return false
}

// try takes in the server's objection to a query. It reports whether the call goes on; proof is its
// answer where it has one already.
func (r *Reader) try(
	ctx context.Context, t *trial, p Priority, q request, text string, f *fault,
) (again bool, proof *reply) {
	if q.rigid || f.err.several {
		return false, nil
	}
	if q.doc.kind == query && r.unlearn(ctx) {
		*t = trial{}
		return true, nil
	}
	forms, _, err := r.known(ctx)
	switch {
	case err != nil || f.verdict != isInvalid:
		return false, nil
	case t.proof != nil:
		r.prove(ctx, t.forms)
		return true, t.proof
	case forms.Introspected:
		return r.forms.due(false) && r.reread(ctx), nil
	case q.doc.kind != query: // see inForms
		return false, nil
	}
	if len(t.forms) == 0 {
		t.first = f.err
	}
	forms = t.on(forms)
	if t.add(forms.others(f.err.said, text)) {
		return true, nil
	}
	omitted := forms.withoutLanguages(f.err.said)
	for _, language := range omitted {
		if !r.forms.lasting(language, contentSuspicion) {
			f.err.form = true
		}
	}
	if !f.err.form && len(omitted) > 0 && r.lacksForAll(ctx, p, q, f.err.said) {
		return t.add(omitted), nil
	}
	if !f.err.form {
		f.err = t.first
	}
	return false, nil
}

// noPublication is an id that no publication has.
const noPublication = "0"

// lacksForAll reports whether the server says of a document that it asks for what the schema lacks,
// also when no publication is concerned.
func (r *Reader) lacksForAll(ctx context.Context, p Priority, q request, said objection) bool {
	if _, ok := q.vars["id"]; !ok {
		return false
	}
	q.vars = map[string]any{"id": noPublication}
	text := q.doc.text()
	res, err := r.pay(ctx, p, q.op, r.costs.reserve(q.doc, text), nil)
	if err != nil {
		return false
	}
	answer, f := r.exchange(ctx, q, text, res)
	if f == nil {
		answer.done()
		return false
	}
	if f.verdict != isInvalid {
		return false
	}
	for field := range said.missing {
		if !f.err.said.missing[field] {
			return false
		}
	}
	return true
}
