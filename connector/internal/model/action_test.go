package model

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"time"

	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store"
)

// Wait lets time pass.
func (m *machine) Wait(t *rapid.T) {
	time.Sleep(rapid.SampledFrom([]time.Duration{
		100 * time.Millisecond, time.Second, 3 * time.Second, time.Minute, 10 * time.Minute, time.Hour,
	}).Draw(t, "wait"))
}

// Webhook delivers signed and unsigned webhooks, in any number, for what is known and what is not.
func (m *machine) Webhook(t *rapid.T) {
	if m.worker == nil {
		t.Skip("nobody listens")
	}
	id := rapid.SampledFrom(append(m.listed(), "nobody", "a/1", "b/1")).Draw(t, "id")
	signed := rapid.Bool().Draw(t, "signed")
	times := rapid.IntRange(1, 4).Draw(t, "times")
	body := []byte(fmt.Sprintf(`{"data":{"publication":{"id":%q}}}`, id))
	handler := m.worker.WebhookHandler()
	for range times {
		path := "/webhooks"
		if !signed {
			path = "/webhooks/path-token"
		}
		req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		if signed {
			req.Header.Set("X-Service-Signature", string(marketplace.Signature([]byte("secret"), body)))
		}
		rec := httptest.NewRecorder()
		func() {
			defer m.alone()()
			handler.ServeHTTP(rec, req)
			if known := m.of(req.Context(), id).State != ""; signed || known {
				delete(m.hides, id) // it is looked at, whatever moved
			}
		}()
		if rec.Code != http.StatusNoContent {
			t.Fatalf("a webhook is answered with %d", rec.Code)
		}
	}
}

// Sweep asks for a sweep, and Enumerate for a look at the whole list.
func (m *machine) Sweep(t *rapid.T) {
	if m.worker == nil {
		m.once(t, rapid.IntRange(0, 3).Draw(t, "full") == 0)
		return
	}
	m.worker.AskFor(false)
}

// Enumerate lists everything.
func (m *machine) Enumerate(t *rapid.T) {
	if m.worker == nil {
		t.Skip("nobody listens")
	}
	m.worker.AskFor(true)
}

// once makes a single run, within the worker or without one.
func (m *machine) once(t *rapid.T, full bool) {
	o := desk.RunOptions{Full: full, Patience: time.Minute}
	run := m.Bench.Connector().Once
	if m.worker != nil {
		run = m.worker.RunOnce
	} else {
		time.Sleep(time.Second)
	}
	if s, err := run(m.ctx, o); s.Exit == 0 && (err != nil || s.Rejected+s.Blocked+s.Held+s.Pending+s.Refused > 0) {
		t.Fatalf("exit 0 at %+v, and %v", s, err)
	}
}

// Once asks a running worker for a run.
func (m *machine) Once(t *rapid.T) { m.once(t, rapid.IntRange(0, 4).Draw(t, "full") == 0) }

// Restart stops the worker or starts it.
func (m *machine) Restart(t *rapid.T) {
	if m.worker != nil {
		m.halt(t)
		check(t, m.Store.Close())
		m.Open()
		if rapid.IntRange(0, 3).Draw(t, "stays down") == 0 {
			return
		}
	}
	m.start(t)
}

// Rules has the merchant keep back another number of pieces, which the next start takes.
func (m *machine) Rules(t *rapid.T) {
	m.buffer = rapid.IntRange(0, 2).Draw(t, "buffer")
	if m.worker != nil {
		m.halt(t)
		m.start(t)
	}
}

// Backup keeps a copy of the store.
func (m *machine) Backup(t *rapid.T) {
	defer m.alone()()
	var b bytes.Buffer
	check(t, m.Store.KV.(store.File).Backup(t.Context(), &b))
	m.kept, m.calls, m.retried = b.Bytes(), len(m.writes()), false
	m.allowed = false
}

// Recall loses the store, or puts the copy in its place.
func (m *machine) Recall(t *rapid.T) {
	if rapid.IntRange(0, 2).Draw(t, "rarely") > 0 {
		t.Skip("not now")
	}
	ran := m.worker != nil
	if ran {
		m.halt(t)
	}
	m.recall = true
	clear(m.tried)
	if m.kept != nil {
		check(t, m.Store.Close())
		check(t, os.WriteFile(m.Path, m.kept, 0o600))
		m.Open()
		check(t, m.Store.SetMeta(t.Context(), engine.MetaCopied, time.Now().Format(time.RFC3339)))
		for id, h := range m.ever {
			m.hide(id, h)
		}
		if m.retried { // what was asked for since is lost with the store that was told: the merchant asks again
			_, err := harness.Desk(m.Store).Ask(t.Context(), desk.Request{Retry: true, Failed: true})
			check(t, err)
		}
		if m.allowed { // and approves again
			m.approve(t)
		}
		m.older = m.older || len(m.writes()) > m.calls
	} else {
		clear(m.hides)
		check(t, m.Store.Close())
		check(t, os.Remove(m.Path)) // as a disk that died
		m.Open()
		m.older = true
	}
	if m.older { // the shop is not told what the store has forgotten
		m.Shop.Can(shoptest.Abilities{Lists: m.Lists, Literal: true, Figures: true})
	}
	m.kept = nil
	if ran {
		m.start(t)
	}
}

// Fault has the next requests, or some of all, end badly.
func (m *machine) Fault(t *rapid.T) {
	f := sandbox.Fault{
		Kind: rapid.SampledFrom([]sandbox.FaultKind{
			sandbox.ServerError, sandbox.Cut, sandbox.HTML, sandbox.ThrottledNow,
			sandbox.InternalError, sandbox.EmptyList,
		}).Draw(t, "kind"),
		Executed: rapid.Bool().Draw(t, "executed"),
		Next:     rapid.IntRange(0, 4).Draw(t, "next"),
	}
	if f.Next == 0 {
		f.Probability = 0.2
	}
	if on := rapid.SampledFrom([]sandbox.Kind{
		"", sandbox.KindList, sandbox.KindContent, sandbox.KindReport,
		sandbox.KindLook,
	}).Draw(t, "on"); on != "" {
		f.On = []sandbox.Kind{on}
	}
	m.Market.Inject(f)
}

// Refuse has the marketplace refuse reports, those of one publication or of all.
func (m *machine) Refuse(t *rapid.T) {
	f := sandbox.Fault{
		Kind: sandbox.RefusedReport,
		On:   []sandbox.Kind{sandbox.KindReport},
		Next: rapid.IntRange(0, 3).Draw(t, "next"),
	}
	if f.Next == 0 {
		f.Probability = 0.5
	}
	if rapid.Bool().Draw(t, "one") {
		f.IDs = []string{m.drawListed(t)}
	}
	m.Market.Inject(f)
}

// Cursors has the marketplace refuse every cursor it gave.
func (m *machine) Cursors(*rapid.T) { m.Market.ExpireCursors() }

// Heal ends all trouble but the shop's with single products.
func (m *machine) Heal(*rapid.T) {
	defer m.alone()()
	m.Market.Heal()
	m.Market.SetToken(sandbox.DefaultToken)
	m.moody.mood, m.moody.delay, m.tap.delay, m.tap.moving = moodFine, 0, 0, nil
}

// Token is revoked, until it is not.
func (m *machine) Token(*rapid.T) { m.Market.SetToken("") }

// Mood changes the shop's.
func (m *machine) Mood(t *rapid.T) {
	mood := mood(rapid.IntRange(0, int(moods)-1).Draw(t, "mood"))
	defer m.alone()()
	m.moody.mood, m.hindered = mood, m.hindered || mood != moodFine
}

// Slow makes one side or the other slow.
func (m *machine) Slow(t *rapid.T) {
	drawDelay := rapid.SampledFrom([]time.Duration{0, 20 * time.Millisecond, time.Second, 5 * time.Second})
	marketplace, shop := drawDelay.Draw(t, "marketplace"), drawDelay.Draw(t, "shop")
	defer m.alone()()
	m.tap.delay, m.moody.delay = marketplace, shop
}

// Block has the shop refuse one publication until the merchant has done something about it.
func (m *machine) Block(t *rapid.T) {
	id := m.drawListed(t)
	defer m.alone()()
	m.moody.blocked[shopadapter.PublicationID(id)] = true
}

// Retry is what the merchant asks for who has done it.
func (m *machine) Retry(t *rapid.T) {
	func() {
		defer m.alone()()
		clear(m.moody.blocked)
	}()
	time.Sleep(time.Millisecond) // what met the refusal at this moment is to have settled
	_, err := harness.Desk(m.Store).Ask(t.Context(), desk.Request{Retry: true, Failed: true})
	check(t, err)
	m.retried = true
	m.wake()
}

// wake tells a worker of what was written to its store beside it, as the admin listener would.
func (m *machine) wake() {
	if m.worker != nil {
		m.worker.Wake()
	}
}

// Approve lets everything through that a brake holds.
func (m *machine) Approve(t *rapid.T) {
	func() {
		defer m.alone()()
		m.approve(t)
		m.allowed = true
	}()
	m.wake()
}

func (m *machine) approve(t *rapid.T) {
	for r, err := range store.Records(t.Context(), m.Store, store.Query{}) {
		check(t, err)
		for _, h := range r.Holds {
			if h.Kind == store.HoldRemoval {
				m.gone[r.ID] = true
			} else {
				m.let[[3]string{r.ID, h.Variant, h.New}] = true
			}
		}
	}
	_, err := harness.Desk(m.Store).Ask(t.Context(), desk.Request{All: true})
	check(t, err)
}
