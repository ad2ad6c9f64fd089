package marketplace

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
)

const (
	mostTold    = 8 // tries of one report
	mostRefused = 3 // for lack of points

	opLook      = "look at publication"
	opReport    = "report publication"
	reportField = "publicationStatusUpdated"
)

// Look asks for a publication's updatedAt, for some two points; nil when it is gone.
func (r *Reader) Look(ctx context.Context, p Priority, id string) (*Entry, error) {
	return r.look(ctx, &Admission{priority: p}, id, false)
}

func lookRequest(id string, detail bool) request {
	fields := scalars("updatedAt")
	if detail {
		fields = scalars("updatedAt status productUrl")
	}
	q := query(opLook, "Look", publication(id, fields))
	q.own = true
	return q
}

func (r *Reader) look(ctx context.Context, a *Admission, id string, detail bool) (*Entry, error) {
	e, _, err := fetch[Entry](ctx, r, a, func(Dialect) request { return lookRequest(id, detail) })
	if err == nil && e != nil && e.UpdatedAt == "" {
		err = unreadable(opLook, nil)
	}
	switch {
	case about(err).absent, err == nil && e == nil:
		return nil, nil //nolint:nilnil // it is gone
	case isOwn(err):
		return &Entry{ID: id, Err: err}, nil
	case err != nil:
		return nil, err
	}
	e.ID, e.Status = id, strings.ToLower(e.Status)
	return e, nil
}

// isOwn reports whether an error is about the one publication, so that others go on.
func isOwn(err error) bool { return err != nil && (about(err).own || IsObjection(err)) }

// Report looks at a publication and at once reports it, unless it is gone or its state is not known. lost says that
// an earlier attempt brought no answer: no report is made where the look shows that it arrived. The points for both
// are reserved before, so that no wait lies between them.
//
// look is nil when it is gone; made is nil without a report. The error is of a request that failed as a whole.
func (c *Client) Report(ctx context.Context, p Priority, r Report, lost bool) (look *Entry, made *Result, err error) {
	d, err := c.Probe(ctx)
	if err != nil {
		return nil, nil, err
	}
	for learned, try := false, 1; ; try++ { // each time behind another look
		look, made, err = c.lookAndTell(ctx, p, r, d, lost)
		refusal := about(err)
		if made != nil {
			refusal = about(made.Err)
		}
		switch {
		case errors.Is(err, errShort) && try < mostTold, made != nil && refusal.again() && try < mostRefused:
		case made != nil && !d.NoUserErrors && refusal.is == isInvalid && refusal.names("userErrors"):
			d.NoUserErrors, learned = true, true
		default:
			if learned && made != nil && made.Err == nil {
				c.learn(func(d *Dialect) { d.NoUserErrors = true })
			}
			return look, made, err
		}
	}
}

// errShort says that the look took the report's points.
var errShort = &Error{Op: opReport, Message: "the points for a look and the report do not come together"}

func (c *Client) lookAndTell(
	ctx context.Context, p Priority, r Report, d Dialect, lost bool,
) (look *Entry, made *Result, err error) {
	a, tell := &Admission{priority: p}, c.cost(d.report(r))
	points, err := c.pay(ctx, a, opReport, c.cost(lookRequest(r.ID, lost))+tell)
	if err != nil {
		return nil, nil, err
	}
	a.points = points
	defer a.Release()
	look, err = c.look(ctx, a, r.ID, lost)
	switch {
	case err != nil || look == nil || look.Err != nil,
		lost && look.Status == r.Status && (r.Status != "success" || look.ProductURL == r.URL):
		return look, nil, err
	case points.Cost() < tell:
		return nil, nil, errShort
	}
	made, err = c.tell(ctx, a, r, d)
	return look, made, err
}

func (d Dialect) report(report Report) request {
	status := map[string]string{"success": d.Success, "failed": d.Failed}[report.Status]
	in := map[string]any{"id": report.ID, "status": cmp.Or(status, report.Status)}
	if report.URL != "" {
		in["productUrl"] = report.URL
	}
	made := scalars("status updatedAt").in("publication")
	if !d.NoUserErrors {
		made = join(made, userErrors())
	}
	q := mutation(opReport, "Report", d.inputType(0, "PublicationStatusUpdatedInput"), reportField, made, in)
	q.own = true
	return q
}

// tell sends one report. Its error, of a request that failed as a whole, is in the result too.
func (c *Client) tell(ctx context.Context, a *Admission, report Report, d Dialect) (*Result, error) {
	result := &Result{}
	said, err := c.mutate(ctx, a, func(Dialect) request { return d.report(report) })
	e := about(err)
	switch {
	case err == nil:
		result.Status, result.UpdatedAt = strings.ToLower(said.Publication.Status), said.Publication.UpdatedAt
		if d.NoUserErrors && result.Status != report.Status {
			result.Err = &Error{
				Op: opReport, Kind: Refused, Status: http.StatusOK, Message: "the marketplace gives no reason, and the " +
					"status is still " + c.wire.Clean(cmp.Or(result.Status, "unknown")),
			}
		}
		return result, nil
	case e.Kind == Refused && d.Success == "success" && e.names("status"):
		d.advise(e)
	}
	result.Err = err
	switch {
	case IsRights(e): // the look was made with the same token, which is good
		e.Kind, e.denied, err = Refused, true, nil
	case e.own && e.Kind != Throttled, e.Kind == Invalid, e.Kind == Refused:
		err = nil // the others may be made
	}
	return result, err
}

func (d Dialect) inputType(i int, specified string) string {
	if types := d.shown[inTypes]; types != nil {
		return cmp.Or(types[i], specified)
	}
	return specified
}

// Reports returns why the schema allows no report, nil where it was not read. The token may still lack the right.
func (d Dialect) Reports() error {
	lacks := []string{"id", "status", "productUrl"}
	lacks = slices.DeleteFunc(lacks, func(f string) bool { return !d.lacks(inReport, f) })
	message := "the input of " + reportField + " has no " + strings.Join(lacks, ", no ") + " in the marketplace's schema"
	if d.lacks(inMutations, reportField) {
		message = "the marketplace's schema has no mutation " + reportField
	} else if len(lacks) == 0 {
		return nil
	}
	return &Error{Op: opReport, Kind: Invalid, Message: message}
}

type payload struct {
	Publication *Entry
	Webhook     *Webhook
	UserErrors  []struct {
		Field   []string
		Message string
	}
}

func userErrors() part { return scalars("field message").in("userErrors") }

func (c *Client) mutate(ctx context.Context, a *Admission, build func(Dialect) request) (*payload, error) {
	said, answer, err := fetch[payload](ctx, c.Reader, a, build)
	switch {
	case err != nil:
		return nil, err
	case said != nil && len(said.UserErrors) > 0:
		e := &Error{Op: answer.op, Kind: Refused, Status: http.StatusOK}
		var parts []string
		for _, u := range said.UserErrors {
			message := cmp.Or(u.Message, "refused without a message")
			if n := len(u.Field); n > 0 {
				e.said += `"` + u.Field[n-1] + `" ` // quoted, as in errors
				message = strings.Join(u.Field, ".") + ": " + message
			}
			e.said += u.Message + "\n"
			parts = append(parts, message)
		}
		e.Message = c.wire.Clean(strings.Join(parts, "; "))
		return nil, e
	case said == nil, answer.op == opReport && said.Publication == nil, answer.op != opReport && said.Webhook == nil:
		return nil, unreadable(answer.op, nil)
	}
	return said, nil
}
