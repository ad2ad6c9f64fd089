package publication

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// StateOf derives the state. Only here the order of the states is written down.
func StateOf(r store.Record) store.State {
	refused := func(v store.Variant) bool { return v.Refused != "" }
	switch {
	case r.Problem.Kind == store.ProblemBlocked:
		return store.StateBlocked
	case r.Problem.Kind == store.ProblemRejected:
		return store.StateRejected
	case slices.ContainsFunc(r.Holds, store.Hold.Stands):
		return store.StateHeld
	case r.Problem.Kind != "":
		return store.StatePending
	case r.Removal.Done:
		return store.StateWithdrawn
	case r.Removal.Reason == "" && r.Sale == store.SoldOut && r.ShopID != "":
		return store.StateLive
	case r.Removal.Reason != "", r.Sale != store.OnSale:
		return store.StatePending
	case slices.ContainsFunc(r.Variants, refused), len(r.Pictures.Missing) > 0:
		return store.StatePartial
	default:
		return store.StateLive
	}
}

// restate derives the state, and tells only that a publication stands well again: other events tell the rest.
func restate(e *store.Entry, now time.Time) {
	r, before := &e.Record, e.Record.State
	r.State = StateOf(*r)
	well := r.State == store.StateLive || r.State == store.StatePartial
	if well && before != "" && before != store.StatePending && before != r.State {
		tell(e, store.WhatState, "", now, store.Change{Field: "state", Old: string(before), New: string(r.State)})
	}
}

func waitsForShop(kind store.ProblemKind) bool {
	return kind == store.ProblemTransient || kind == store.ProblemBlocked
}

// failsAt returns when the marketplace is told that a publication has failed by errors of the shop alone; zero:
// never. shut says why the shop cannot be used, "" if it can. While it is shut, a publication that was never tried
// counts too.
func (s *Settings) failsAt(r store.Record, shut string) time.Time {
	since, held := r.Problem.Since, slices.ContainsFunc(r.Holds, store.Hold.Stands)
	switch p := r.Problem; {
	case r.Sale == store.OnSale, r.Sale == store.SoldOut, p.Overdue, r.Removal.Reason != "":
		return time.Time{}
	case waitsForShop(p.Kind):
	case p.Kind == "" && shut != "" && !held:
		since = r.ListedAt
	default:
		return time.Time{}
	}
	if since == 0 {
		return time.Time{}
	}
	return since.Time().Add(s.FailAfter)
}

// Overdue has the marketplace told of a publication that is past failsAt.
func (s *Settings) Overdue(e *store.Entry, shut string, now time.Time) bool {
	p, at := &e.Record.Problem, s.failsAt(e.Record, shut)
	if at.IsZero() || now.Before(at) {
		return false
	}
	if p.Kind == "" {
		*p = problem(store.ProblemTransient, shut, now)
		p.Wide, p.Since = true, e.Record.ListedAt
	}
	p.Overdue = true
	restate(e, now)
	owe(e, now)
	return true
}

// finish has the next look come no later than failsAt.
func (s *Settings) finish(e *store.Entry, now time.Time) {
	if at := s.failsAt(e.Record, ""); !at.IsZero() && !now.Before(at) {
		e.Record.Problem.Overdue = true
	} else if !at.IsZero() && e.Mark != nil {
		e.Mark.At = min(e.Mark.At, store.At(at))
	}
	restate(e, now)
	owe(e, now)
}

// OwnFailure returns a failed reading as the publication's own. It is nil where the marketplace is at fault: at the
// first failure in a row, and while its calls are paused.
func OwnFailure(err error, inARow int, paused bool) *shopadapter.Error {
	if inARow <= 1 || paused {
		return nil
	}
	return shopadapter.Retry("its content cannot be read: %w", err)
}

func wanted(r store.Record) (status store.Status, url string) {
	p := r.Problem
	switch {
	case r.Removal.Reason == store.RemovalAbsent, hasHold(r.Holds, store.HoldForeign, store.Declined):
		// the marketplace's status is not about us
		return "", ""
	case r.Removal.Done && (r.Sale != store.Draft || r.Reported == store.StatusSuccess): // else it never was on sale
		return store.StatusFailed, ""
	case r.Sale == store.OnSale:
		return store.StatusSuccess, r.URL
	case p.Kind == store.ProblemRejected && !r.Open(), p.Gone, p.Hidden, p.Overdue:
		return store.StatusFailed, ""
	default:
		return "", ""
	}
}

// owe aligns the owed report with the record. A refused report stays as it is; one that replaces it starts without
// refusals.
func owe(e *store.Entry, now time.Time) {
	r := e.Record
	status, url := wanted(r)
	told := r.Reported == status && (status != store.StatusSuccess || SameAddress(r.ReportedURL, url))
	switch {
	case r.Removal.Reason == store.RemovalAbsent, status != "" && told:
		e.Owed = nil
	case status == "":
		if e.Owed != nil && e.Owed.Status == store.StatusSuccess { // no longer true
			e.Owed = nil
		}
	case e.Owed != nil && e.Owed.Status == status && e.Owed.URL == url:
	default:
		e.Owed = &store.Report{Status: status, URL: url, UpdatedAt: r.UpdatedAt, Since: store.At(now)}
	}
}

// Acknowledged records the marketplace's reply to a report. look is the light look before it; nil: the reply is a
// look that showed the report applied. The reply's updatedAt becomes the echo where the look still showed the
// content's; else the content is read again.
func Acknowledged(e *store.Entry, sent store.Report, updatedAt string, look *marketplace.Entry, now time.Time) {
	r := &e.Record
	unreport(e, sent)
	r.Reported, r.ReportedURL, r.ReportedAt = sent.Status, sent.URL, store.At(now)
	note(e, "reported "+string(sent.Status), now)
	known := func(updatedAt string) bool { return updatedAt == r.UpdatedAt || updatedAt == r.Echo }
	switch same := look == nil || known(look.UpdatedAt); {
	case look != nil && same && updatedAt != "":
		r.Echo = updatedAt
	case !same || !known(updatedAt):
		if !same && (updatedAt == "" || known(updatedAt)) {
			updatedAt = look.UpdatedAt // the reply is of before what the look shows
		}
		e.Note(store.Mark{Class: store.ClassSweep, At: store.At(now), Seen: updatedAt})
	}
	owe(e, now)
}

// Vanished has a publication looked at that the look before its report does not show.
func Vanished(e *store.Entry, sent store.Report, now time.Time) {
	unreport(e, sent)
	due(e, store.ClassSweep, now)
}

func unreport(e *store.Entry, sent store.Report) {
	if e.Owed != nil && e.Owed.Seq == sent.Seq {
		e.Owed = nil
	}
}

// Unreported records a report that was refused, or "" brought no answer, and stays owed. It returns false where the
// report was taken or replaced meanwhile.
func Unreported(e *store.Entry, sent store.Report, refused string, now time.Time) bool {
	if e.Owed == nil || e.Owed.Seq != sent.Seq {
		return false
	}
	tried := *e.Owed
	tried.Tries, tried.TriedAt, tried.Lost = tried.Tries+1, store.At(now), refused == ""
	if refused != "" {
		tried.Refused = refused
		note(e, "report refused: "+refused, now)
	}
	e.Owed = &tried
	return true
}

// RemakeReport makes an owed report due now, and returns false where none waits.
func RemakeReport(e *store.Entry) bool {
	if e.Owed == nil || e.Owed.TriedAt == 0 {
		return false
	}
	again := *e.Owed
	again.TriedAt = 0
	e.Owed = &again
	return true
}

// RemadeAt returns when an owed report is made again: after backoff, or where it was refused after a delay that grows
// from two seconds to an hour. It is due now where all were woken since, or the clock was set back.
func RemadeAt(o store.Report, backoff time.Duration, woken, now time.Time) time.Time {
	if o.TriedAt < store.At(woken) || o.TriedAt > store.At(now) {
		return time.Time{}
	}
	if !o.Lost {
		backoff = min(2*time.Second<<min(max(o.Tries-1, 0), 20), time.Hour)
	}
	return o.TriedAt.Time().Add(backoff)
}

// SameAddress ignores the case of scheme and host, a final dot of the host, the default port and final slashes.
func SameAddress(a, b string) bool {
	return a == b || plainAddress(a) != "" && plainAddress(a) == plainAddress(b)
}

func plainAddress(address string) string {
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Host == "" {
		return ""
	}
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if scheme == "http" && port == "80" || scheme == "https" && port == "443" {
		port = ""
	}
	return strings.Join([]string{scheme, hostOf(u), port, strings.TrimRight(u.Path, "/"), u.RawQuery, u.Fragment}, " ")
}

func hostOf(u *url.URL) string { return strings.TrimRight(strings.ToLower(u.Hostname()), ".") }

func isPrivateHost(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	host := hostOf(u)
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return !ip.IsGlobalUnicast() || ip.IsPrivate()
	}
	private := []string{".localhost", ".local", ".internal", ".test"}
	return !strings.Contains(host, ".") ||
		slices.ContainsFunc(private, func(end string) bool { return strings.HasSuffix(host, end) })
}

// movesTo lets no private address replace a public one: a worker that reaches the shop by a private name is shown
// that name.
func movesTo(known, listed string) bool {
	return isWebAddress(listed) && !SameAddress(known, listed) &&
		(!isPrivateHost(listed) || known == "" || isPrivateHost(known))
}
