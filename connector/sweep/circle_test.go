package sweep_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// costed is what the marketplace says of points beside a page. Without it the client believes that
// each page cost what it may cost at most, six hundred points, and may wait twenty seconds for them.
const costed = `"extensions":{"throttle":{"requestedCost":5,"actualCost":5,"limit":1000,"remaining":900,` +
	`"restoreRate":50}}`

// circles answers each page of one order of the list with a cursor that leads back: A, B, A and so
// on.
func circles(f *harness.Forger, order string, ids []string) (asked *int) {
	asked = new(int)
	f.Answer = func(operation, body string) string {
		if operation != "List" || !strings.Contains(body, "sort:"+order) {
			return ""
		}
		n := *asked
		*asked++
		return fmt.Sprintf(
			`{"data":{"publications":{"nodes":[{"id":%q,"updatedAt":"2026-01-01T00:00:%02dZ","status":"syncing"}],`+
				`"pageInfo":{"hasNextPage":true,"endCursor":%q}}},%s}`,
			ids[n%len(ids)],
			n%60,
			string("AB"[n%2]),
			costed,
		)
	}
	return asked
}

// TestAListThatGoesInCirclesEnds has one order of the list lead back to its beginning for ever.
// Each sweep ends with an error that says so, what it met is imported, the sweep that a person asks
// for by the other order is made, and the log tells of it once a minute at the most.
func TestAListThatGoesInCirclesEnds(t *testing.T) {
	for _, row := range []struct {
		name, order string
		full        bool // what the person asks for
	}{
		{"changes", "UPDATED_AT_ASC", true},
		{"the whole list", "ID_DESC", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				f := b.Forge()
				var said bytes.Buffer
				forged := b.Tune
				b.Tune = func(o *connector.Options) {
					forged(o)
					o.Logger = slog.New(slog.NewTextHandler(&said, nil))
				}
				ids := b.Market.AddSound(4)
				asked := circles(f, row.order, ids[:2])
				c, stop := b.Start()
				if !row.full {
					c.Sweep(true)
				}
				time.Sleep(10 * time.Second)
				begun := time.Now()
				w := httptest.NewRecorder()
				c.AdminHandler(true).ServeHTTP(w, localRequest("/api/v1/sweep", fmt.Sprintf(`{"full":%t}`, row.full)))
				if w.Code != http.StatusAccepted {
					t.Fatalf("%d %s, want %v", w.Code, w.Body, http.StatusAccepted)
				}
				time.Sleep(10 * time.Second)
				incremental, full := harness.LastSweeps(t, c)
				bad, good := incremental, full
				if !row.full {
					bad, good = full, incremental
				}
				if !strings.Contains(bad.Error, "goes in circles: a cursor came back") {
					t.Errorf("the sweep in circles ended with %q, want that it goes in circles", bad.Error)
				}
				if good.Error != "" {
					t.Errorf("the sweep that was asked for ends with %q, want no error", good.Error)
				}
				if good.At.Before(begun) {
					t.Errorf("the sweep that was asked for is of %v, want it after %v", good.At, begun)
				}
				if good.Listed == 0 {
					t.Error("the sweep that was asked for lists 0, want some")
				}
				time.Sleep(10 * time.Minute)
				f.Do(func() {
					if *asked > 60 {
						t.Errorf("%d pages were asked for in ten minutes, want at most 60", *asked)
					}
				})
				status, err := harness.Status(c)
				if err != nil || status.Publications["live"] != 4 || status.LastError == nil {
					t.Errorf("got %+v, %v, want 4 live, a last error and no error of the call", status, err)
				}
				f.Do(func() { f.Answer = nil })
				time.Sleep(10 * time.Minute)
				incremental, full = harness.LastSweeps(t, c)
				if incremental.Error != "" || full.Error != "" {
					t.Errorf(
						"once the list is right: the sweeps end with %q and %q, want no error",
						incremental.Error,
						full.Error,
					)
				}
				stop()
				if n := strings.Count(said.String(), "sweep ended early"); n == 0 || n > 11 {
					t.Errorf("%d warnings in ten minutes, want one a minute at the most", n)
				}
			})
		})
	}
}

// TestARunEndsThoughTheListGoesInCircles has each order of the list lead back to its beginning for
// ever: the pages that arrive again and again are no progress, so the run ends when its patience
// does, and says why.
func TestARunEndsThoughTheListGoesInCircles(t *testing.T) {
	for _, row := range []struct{ order, want string }{
		{"UPDATED_AT_ASC", "goes in circles"},
		{"ID_DESC", "goes in circles"},
	} {
		t.Run(row.order, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				f := b.Forge()
				circles(f, row.order, b.Market.AddSound(4)[:2])
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				begun := time.Now()
				s, err := b.Connector().
					RunOnce(ctx, desk.RunOptions{Full: row.order == "ID_DESC", Patience: time.Minute})
				if took := time.Since(begun); took > 5*time.Minute {
					t.Errorf("the run took %v, want at most %v", took, 5*time.Minute)
				}
				if s.Exit != desk.ExitMarketplace || err == nil || !strings.Contains(err.Error(), row.want) {
					t.Errorf("exit %d, %v, want %d and %q", s.Exit, err, desk.ExitMarketplace, row.want)
				}
			})
		})
	}
}

func localRequest(path, body string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:9464"+path, strings.NewReader(body))
	r.Host = "127.0.0.1:9464"
	r.RemoteAddr = "127.0.0.1:1"
	return r
}

// TestSpoiledEntriesStopNoImport lists entries without id, without updatedAt and null beside good
// ones: the good ones are imported, the others are counted and said once a sweep. What has an id is
// not absent, and beside an entry without one nothing is.
func TestSpoiledEntriesStopNoImport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		f := b.Forge()
		ids := b.Market.AddSound(20)
		spoil := `{"id":null,"updatedAt":"2026-01-01T00:00:00Z","status":"syncing"},null,{"id":"nobody","updatedAt":null},`
		f.Change = func(operation, answer string) string {
			if operation != "List" {
				return answer
			}
			return strings.Replace(answer, `"nodes":[`, `"nodes":[`+spoil, 1)
		}
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Created != 20 || s.Swept != 20 {
			t.Fatalf("got %+v, want Exit %v, Created 20 and Swept 20", s, desk.ExitOK)
		}
		if r := b.Record("nobody"); r.State != "" {
			t.Errorf("an entry without updatedAt left %+v, want nothing", r)
		}

		b.Market.Remove(ids[0])
		if plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), true); err != nil ||
			len(plan.Withdraw) > 0 {
			t.Errorf("a plan would withdraw %v, %v, want nothing and no error", plan.Withdraw, err)
		}
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Withdrawn != 0 || b.State(ids[0]) != store.StateLive {
			t.Errorf(
				"beside entries without an id %s is %s: got %+v, want Exit %v, Withdrawn 0 and state %v",
				ids[0],
				b.State(ids[0]),
				s,
				desk.ExitOK,
				store.StateLive,
			)
		}

		spoil = `{"id":"nobody","updatedAt":null},{"id":"` + ids[1] + `"},`
		b.Market.Remove(ids[1])
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Withdrawn != 1 {
			t.Errorf("beside entries without updatedAt: got %+v, want Exit %v and Withdrawn 1", s, desk.ExitOK)
		}
		if b.State(ids[0]) != store.StateWithdrawn || b.State(ids[1]) != store.StateLive {
			t.Errorf(
				"%s is %s, and %s, which is listed without updatedAt, is %s, want state %v and state %v",
				ids[0],
				b.State(ids[0]),
				ids[1],
				b.State(ids[1]), store.StateWithdrawn, store.StateLive,
			)
		}

		c, stop := b.Start()
		time.Sleep(time.Minute)
		if incremental, _ := harness.LastSweeps(t, c); incremental.Passed != 2 {
			t.Errorf("status says of the last sweep %+v, want Passed 2", incremental)
		}
		if n := harness.Metric(t, c, "entries_passed_over_total"); n != 2 {
			t.Errorf("the metric counts %g, want 2", n)
		}
		stop()
	})
}
