package marketplace

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pubsync/pubsync/shopadapter/pace"
)

// A Report tells the marketplace what became of a publication in the shop.
type Report struct {
	ID     string
	Status string // "success" or "failed"
	URL    string // where a customer sees the product; "" leaves out what the marketplace holds
}

// A Result is the marketplace's answer to one Report.
type Result struct {
	ID string
	// Status is what the marketplace holds now, in lower case. It need not be compared: without an
	// Err the report was accepted.
	Status    string
	UpdatedAt string // moved by the report itself
	// nil when it was accepted. An error of kind Refused is about this publication alone; after one
	// of kind Transient the report may have been accepted
	Err error
}

const atOnce = 4

// together calls do for each index below n, atOnce at a time, and for no further one after a failure.
// The error is that of the first failure. A panic of do is one of the caller.
func together(n int, do func(int) error) error {
	var g errgroup.Group
	var failed atomic.Bool
	var panicked atomic.Pointer[any]
	g.SetLimit(atOnce)
	for i := range n {
		g.Go(func() (err error) {
			defer func() {
				if p := recover(); p != nil {
					panicked.Store(&p)
				}
				if err != nil || panicked.Load() != nil {
					failed.Store(true)
				}
			}()
			if failed.Load() {
				return nil
			}
			return do(i)
		})
	}
	err := g.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	return err
}

// Look asks for the updatedAt of publications, each by itself, which costs some two points, and
// with detail also for status and productUrl. A nil entry means that the publication is gone. An
// entry with Err means that nothing is known of it now. After a request that failed as a whole the
// others are missing from the result, and the error says why.
func (r *Reader) Look(ctx context.Context, p Priority, ids []string, detail bool) (map[string]*Entry, error) {
	var mu sync.Mutex
	found := make(map[string]*Entry, len(ids))
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	err := together(len(ids), func(i int) error {
		e, err := r.look(ctx, p, nil, ids[i], detail)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			found[ids[i]] = e
		}
		return err
	})
	return found, err
}

const opLook = "look at publication"

func lookRequest(id string, detail bool) request {
	fields := scalars("updatedAt")
	if detail {
		fields = scalars("updatedAt status productUrl")
	}
	q := query(opLook, "Look", publication(id, fields))
	q.one = "publication"
	return q
}

func (r *Reader) look(
	ctx context.Context, p Priority, res *pace.Reservation, id string, detail bool,
) (e *Entry, err error) {
	answer, err := r.ask(ctx, p, res, func(Dialect) request { return lookRequest(id, detail) })
	if err == nil {
		e, err = read[Entry](answer, opLook, "publication")
	}
	switch {
	case IsAbsent(err), err == nil && e == nil:
		return nil, nil //nolint:nilnil // it is gone
	case err == nil && e.UpdatedAt == "":
		err = unreadable(opLook, nil)
	}
	switch {
	case isOwn(err): // nothing is known of this publication
		return &Entry{ID: id, Err: err}, nil
	case err != nil:
		return nil, err
	}
	e.ID = id
	return e, nil
}

// isOwn reports whether an error of a request about one publication is about that, so that no other
// request need fail.
func isOwn(err error) bool { return err != nil && (about(err).own || IsObjection(err)) }

// LookAndReport looks at the publications of reports, each by itself and without detail, and at
// once sends the report if choose returns it. The points for both are reserved before the look, so
// that no waiting lies between the two. choose is called with each report and what [Reader.Look]
// would return for it, and again where the report is repeated. It is called by one goroutine at a
// time.
//
// The results are those of the reports sent, in order. The error is that of a request that failed
// as a whole: the report that it was about has it in its result too, and no other is begun after
// it. When a look fails its report is not sent.
func (c *Client) LookAndReport(
	ctx context.Context, p Priority, reports []Report, choose func(r Report, look *Entry) bool,
) ([]Result, error) {
	var mu sync.Mutex
	results := make([]*Result, len(reports))
	err := together(len(reports), func(i int) (err error) {
		results[i], err = c.report(ctx, p, reports[i], func(look *Entry) bool {
			mu.Lock()
			defer mu.Unlock()
			return choose(reports[i], look)
		})
		return err
	})
	var sent []Result
	for _, r := range results {
		if r != nil {
			sent = append(sent, *r)
		}
	}
	judgeDenials(sent)
	return sent, err
}

// judgeDenials makes each denial of a report a refusal. It is of reports as a whole where no other
// report was accepted; else it is about its publication alone. The caller has just read with the
// same token, so the token itself is good.
func judgeDenials(results []Result) {
	accepted := slices.ContainsFunc(results, func(r Result) bool { return r.Err == nil })
	for i := range results {
		if e := about(results[i].Err); IsRights(e) {
			refused := &Error{Op: e.Op, Kind: Refused, Status: e.Status, Message: e.Message}
			if !accepted {
				refused.Message, refused.barred = ReportsDenied+": "+e.Message, true
			}
			results[i].Err = refused
		}
	}
}

// report is one report of LookAndReport; nil where it was not sent. It is made once more where it
// was refused without a figure, and once without userErrors where the server objects to those. Each
// try looks again, since a publication may change meanwhile.
func (c *Client) report(ctx context.Context, p Priority, report Report, choose func(*Entry) bool) (*Result, error) {
	without := false
	for bare := 1; ; {
		result, err := c.lookAndReport(ctx, p, report, without, choose)
		switch {
		case result != nil && !without && about(result.Err).is == isInvalid && about(result.Err).names("userErrors"):
			without = true
		case about(err).bare && bare < mostBare:
			bare++
		default:
			if result != nil && without && result.Err == nil {
				c.learn(func(d *Dialect) { d.NoUserErrors = true })
			}
			return result, err
		}
	}
}

func (c *Client) lookAndReport(
	ctx context.Context, p Priority, report Report, without bool, choose func(*Entry) bool,
) (*Result, error) {
	d, err := c.Probe(ctx)
	if err != nil {
		return nil, err
	}
	d.NoUserErrors = d.NoUserErrors || without
	for range mostStarts {
		tell := c.reserve(d.report(report))
		points, err := c.pay(ctx, p, opReport, c.reserve(lookRequest(report.ID, false))+tell, nil)
		if err != nil {
			return nil, err
		}
		entry, err := c.look(ctx, p, points, report.ID, false)
		if err != nil || !choose(entry) {
			points.Return()
			return nil, err
		}
		if points.Cost() >= tell {
			defer points.Return()
			return c.tell(ctx, p, points, report, d)
		}
		points.Return() // the look took more than was reserved for it
	}
	return nil, &Error{Op: opReport, Message: "the points for a look and the report do not come together"}
}

const (
	opReport    = "report publication"
	reportField = "publicationStatusUpdated"
)

// report is the request for a report.
func (d Dialect) report(report Report) request {
	status := map[string]string{"success": d.Success, "failed": d.Failed}[report.Status]
	in := map[string]any{"id": report.ID, "status": cmp.Or(status, report.Status)}
	if report.URL != "" {
		in["productUrl"] = report.URL
	}
	payload := scalars("status updatedAt").in("publication")
	if !d.NoUserErrors {
		payload = join(payload, userErrorFields())
	}
	q := mutation(opReport, "Report", d.reportInput, reportField, payload, in)
	q.one = reportField
	return q
}

// tell sends one report. The error is that of a request that failed as a whole, which the result has
// too.
func (c *Client) tell(
	ctx context.Context, p Priority, res *pace.Reservation, report Report, d Dialect,
) (*Result, error) {
	result := &Result{ID: report.ID}
	answer, err := c.ask(ctx, p, res, func(Dialect) request { return d.report(report) })
	if err == nil {
		result.Status, result.UpdatedAt, result.Err = c.told(report, answer, d)
		return result, nil
	}
	result.Err = err
	if e := about(err); IsRights(e) || e.own && e.Kind != Throttled || e.Kind == Invalid { // the others may be made
		err = nil
	}
	return result, err
}

func (c *Client) told(report Report, answer *reply, d Dialect) (status, updatedAt string, _ error) {
	payload, err := readAnswer[struct {
		Publication *Entry
		UserErrors  []userError
	}](answer, opReport, reportField)
	switch {
	case err != nil:
		return "", "", err
	case len(payload.UserErrors) > 0:
		refused := c.refusal(opReport, payload.UserErrors)
		if advice := d.advice(refused); strings.Contains(advice, "status=") && refused.names("status") {
			refused.Message += " (" + advice + ")"
		}
		return "", "", refused
	case payload.Publication == nil:
		return "", "", unreadable(opReport, errors.New("neither a publication nor an error"))
	}
	status = payload.Publication.Status
	if d.NoUserErrors && status != report.Status {
		still := c.wire.Clean(cmp.Or(status, "unknown"))
		return status, "", &Error{
			Op: opReport, Kind: Refused, Status: http.StatusOK,
			Message: "the marketplace gives no reason, and the status is still " + still,
		}
	}
	return status, payload.Publication.UpdatedAt, nil
}
