package client

import (
	"context"
	"log/slog"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// withoutDetails has the call's next request ask for fewer details, or for none, where the server
// objects to a document with them: a product is whole without. It reports false where there is
// nothing to leave out.
//
//	the server says                  this call         all calls
//	its schema lacks some of them    without those     the same, where it was said for a second
//	its schema is another by now     as that has it    the same
//	it wants another form            in that form      see Trial
//	it denies them, or fails there   without any       the same for an hour, where it was said for a second
//	it cannot be reached             with them         unchanged
func (c *Conn) withoutDetails(ctx context.Context, t *Trial, q Request, text string, f *failure) (again bool) {
	if q.Details == nil || t.bare || q.Doc.Kind != document.Query {
		return false
	}
	forms, known := c.Forms.Now()
	if known && !forms.Introspected && f.verdict == fault.AsInvalid {
		if less, ok := t.On(forms).WithoutDetails(f.err.Said.Missing, f.err.Said.Text); ok {
			lacking := form.Form{Name: "without some details", Omits: t.On(forms).Selected()}
			if t.noDetails = less.NoDetails; c.Forms.Lasting(lacking, form.Suspicion) {
				c.Forms.LackDetails(less.NoDetails)
			}
			return true
		}
	}
	if known && f.verdict == fault.AsInvalid {
		switch {
		case forms.Introspected:
			if c.Forms.Due(false) && c.reread(ctx) {
				return true
			}
		case t.proof != nil, t.lacks(t.On(forms).Others(f.err.Said, text)):
			return false
		}
	}
	denied := f.verdict == fault.AsUnauthorized && f.err.Status < 300
	if !denied && f.verdict < fault.AsInvalid && !f.inDetails {
		return false
	}
	*t = Trial{bare: true}
	return true
}

// spared records that a request without details was answered, after one with them was refused.
func (c *Conn) spared(ctx context.Context) {
	forms, _ := c.Forms.Now()
	without := form.Form{Name: "without details", Omits: forms.Selected()}
	if c.Forms.Lasting(without, form.Suspicion) && c.Forms.SpareDetails() {
		c.Log.LogAttrs(ctx, slog.LevelWarn, "marketplace refuses details of products, contents are read without",
			slog.String("for", form.FormsKept.String()))
	}
}

// onlyDetails reports whether an answer lacks details alone: each complaint is about a value within
// them, and the rest is there.
func (q Request) onlyDetails(status int, data []byte, complaints []fault.Complaint) bool {
	if q.Details == nil || status >= 300 || len(complaints) == 0 || !anyField(data) {
		return false
	}
	return !slices.ContainsFunc(complaints, func(c fault.Complaint) bool {
		return !c.Within(q.Details...) || fault.Judge(c, false) == fault.AsThrottled
	})
}
