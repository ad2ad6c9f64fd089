package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing/iotest"
	"time"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A tap sits between worker and marketplace: it makes pages small and requests slow, lets entries
// move between two pages, and holds the worker to what it may say.
type tap struct {
	m      *machine
	next   http.RoundTripper
	page   int // entries of a page at most
	delay  time.Duration
	moving []func() // run one by one once a page has been made
}

var (
	operation = regexp.MustCompile(`^(?:query|mutation) (\w+)`)
	listFirst = regexp.MustCompile(`publications\(first:(\d+)`)
	named     = regexp.MustCompile(`publication\(id:"([^"]+)"`)
)

// A told is the input of one report.
type told struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	ProductURL string `json:"productUrl"`
}

func (w *tap) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	req.Body.Close()
	var q struct {
		Query     string                     `json:"query"`
		Variables map[string]json.RawMessage `json:"variables"`
	}
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	name := ""
	if found := operation.FindStringSubmatch(q.Query); found != nil {
		name = found[1]
	}
	m := w.m
	var ids []string
	var reports []told
	for _, found := range named.FindAllStringSubmatch(q.Query, -1) {
		ids = append(ids, found[1])
	}
	for _, value := range q.Variables {
		var report told
		if json.Unmarshal(value, &report) == nil {
			reports = append(reports, report)
		}
	}
	m.mu.Lock()
	delay := w.delay
	m.takeOff(reports, 1)
	m.calling++
	m.mu.Unlock()
	engine.Sleep(req.Context(), delay)
	m.mu.Lock()
	defer m.mu.Unlock()
	defer func() { m.takeOff(reports, -1); m.calling-- }()
	for _, r := range reports {
		m.reported(req.Context(), r)
	}
	lists := name == "List"
	if lists {
		body = listFirst.ReplaceAllFunc(body, func(found []byte) []byte {
			n, _ := strconv.Atoi(string(listFirst.FindSubmatch(found)[1]))
			return fmt.Appendf(nil, "publications(first:%d", min(n, w.page))
		})
	}
	out := req.Clone(req.Context())
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp, err := w.next.RoundTrip(out)
	for _, id := range ids {
		p, listed := m.Market.Publication(id)
		switch name {
		case "Look":
			m.looked[id] = p.UpdatedAt
		case "Content":
			m.reads[id]++
			m.shown[id] = listed && sellable(p)
			if m.shown[id] {
				m.unfit[id] = p.Listing.Texts["en"].Title == "" || isUnsellable(p.Listing)
			}
			if err == nil && (isWhole(resp) || !listed) { // an error may be how the marketplace says that it is gone
				m.untitled(out.Context(), id, p, listed)
			}
		}
	}
	if lists && len(w.moving) > 0 {
		move := w.moving[0]
		w.moving = w.moving[1:]
		move()
	}
	return resp, err
}

// isWhole reports whether an answer can be read and holds no error. It leaves the body to be read.
func isWhole(resp *http.Response) bool {
	body, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		resp.Body = io.NopCloser(io.MultiReader(bytes.NewReader(body), iotest.ErrReader(err)))
	}
	var answer struct{ Errors json.RawMessage }
	return err == nil && json.Unmarshal(body, &answer) == nil && answer.Errors == nil
}

// untitled notes since when an entry is read without a title. A title ends that once its look
// settles, which one that is lost or put off does not.
func (m *machine) untitled(ctx context.Context, id string, p sandbox.Publication, listed bool) {
	at, ok := m.since[id]
	switch {
	case !listed || !sellable(p) || p.Listing.Texts["en"].Title != "":
		if ok {
			m.ended[id] = at
		}
		delete(m.since, id)
		return
	case !ok:
		at = m.ended[id]
		if at.IsZero() || !m.of(ctx, id).UntitledSince.Time().Equal(at.Truncate(time.Millisecond)) {
			at = time.Now()
		}
	}
	if at.After(time.Now()) {
		at = time.Now()
	}
	m.since[id] = at
}

// takeOff counts the reports of each publication that are under way.
func (m *machine) takeOff(reports []told, n int) {
	for _, r := range reports {
		if m.flying[r.ID] += n; m.flying[r.ID] > 1 {
			m.breaks("two reports of " + r.ID + " are under way")
		}
	}
}

// reported holds a report to the truth, and notes the change that hides behind its move of
// updatedAt: one that fell between look and report.
func (m *machine) reported(ctx context.Context, r told) {
	_, onSale := m.shows(r.ID)
	switch store.Status(strings.ToLower(r.Status)) {
	case store.StatusSuccess:
		// it is being taken out of sale at this moment, and that has not settled, or has while the report was under way
		ends := m.of(ctx, r.ID).Sale == store.OnSale || time.Since(m.out[r.ID]) <= 10*time.Second
		if want := m.url(r.ID); (!onSale && !ends || r.ProductURL != want) && !m.older {
			m.breaks(
				fmt.Sprintf(
					"%s is reported as on sale at %q, and is on sale: %t at %q",
					r.ID,
					r.ProductURL,
					onSale,
					want,
				),
			)
		}
	case store.StatusFailed:
		if onSale && m.of(ctx, r.ID).Sale == store.OnSale {
			m.breaks(r.ID + " is reported as failed, and is on sale")
		}
	default:
		m.breaks(r.ID + " is reported as " + r.Status)
	}
	if p, listed := m.Market.Publication(r.ID); listed && !p.UpdatedAt.Equal(m.looked[r.ID]) {
		m.hide(r.ID, hiding{unmoved: true, whole: true})
	}
}

// url is where the shop shows a publication.
func (m *machine) url(id string) string {
	if p, ok := m.Shop.Get(id); ok {
		return "https://shop.example/p/" + string(p.Listing)
	}
	return ""
}
