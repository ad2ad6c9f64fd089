package model

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"
	"pgregory.net/rapid"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

func init() { debug.SetGCPercent(400) } // marketplaces in memory allocate much and hold little

// A machine drives a marketplace, a worker and a shop through whatever may befall them. Its model
// is the import list: what the shop must show can be read off it, but for the few changes that
// nothing tells of.
type machine struct {
	*harness.Bench
	Lists   bool // the shop can enumerate what it made
	moody   *moody
	tap     *tap
	sorted  bool                 // the marketplace lists by updatedAt
	skewed  bool                 // its clock is not ours
	worker  *connector.Connector // nil: nothing runs but what cron starts
	stop    func() error
	ctx     context.Context
	lived   int
	serial  int      // of the entries made
	all     []string // and their ids
	kept    []byte   // a copy of the store
	calls   int      // of the shop when it was made
	retried bool     // the merchant has asked for a retry since
	allowed bool     // and has approved what was held

	mu       sync.Mutex // one request, one write to the shop or one change of the list at a time
	broken   []string   // the laws that were, in words
	hides    map[string]hiding
	ever     map[string]hiding            // all that was hidden before, which an older store knows nothing of
	newest   time.Time                    // the latest updatedAt that the list ever showed
	looked   map[string]time.Time         // updatedAt as the last light look showed it
	shown    map[string]bool              // whether the last reading found something to sell
	unfit    map[string]bool              // and it cannot be sold
	refused  map[string]bool              // whether the shop took nothing of it since it was last written
	reads    map[string]int               // of content
	flying   map[string]int               // reports under way
	calling  int                          // requests and calls of the shop under way
	prices   map[string]map[string]string // as last written and acknowledged, by publication and variant
	tried    map[string]map[string]string // as last sent with no acknowledgement since
	let      map[[3]string]bool           // prices approved
	gone     map[string]bool              // removals approved
	out      map[string]time.Time         // when something was last taken out of sale
	older    bool                         // the store knows less than the shop
	hindered bool                         // the shop has been in trouble
	since    map[string]time.Time         // when an entry was first read without a title
	ended    map[string]time.Time         // since before a title was read
	recall   bool                         // the store may know less of that
	figured  int                          // how often the shop was asked to take figures alone
	buffer   int                          // pieces that the merchant keeps back

	planning bool // a plan is being compared with the run after it
}

// A hiding is why a change is not met by a sweep that goes on from its cursor.
type hiding struct {
	late    bool // its updatedAt lies before what was listed already: an enumeration finds it
	unmoved bool // updatedAt is what it was, or was moved by a report behind which the change hides: a reading finds it
	whole   bool // so does nothing but a reading in full, which every thirtieth refresh is
}

const (
	modelRefresh = 6 * time.Hour
	modelSweep   = 15 * time.Minute
	modelFail    = 3 * time.Hour
)

// Whatever happens to marketplace, worker and shop, in whatever order: once the trouble is over,
// sweeps that go on from their cursor bring the shop to what the import list says, but for
// removals, which an enumeration finds.
func TestShopIsTheImportList(t *testing.T) {
	fewer(t, 8)
	dir := t.TempDir()
	lives := 0
	rapid.Check(t, func(rt *rapid.T) {
		lives++
		// outside the bubble, whose clock would stand still
		hangs := time.AfterFunc(time.Minute, func() {
			panic(fmt.Sprintf("a life hangs: that of the run's seed and %d more", lives*(lives-1)/2))
		})
		defer hangs.Stop()
		m := newMachine(t, rt, dir, lives)
		defer m.Market.Close() // made outside, so that it outlives a bubble
		for range 1 + rapid.IntRange(0, 3).Draw(rt, "clock set back")/3 {
			rapid.SyncTest(rt, m.live)
		}
	})
}

// live is one life of our clock: the next begins where this one did, and the marketplace's goes on.
func (m *machine) live(t *rapid.T) {
	ctx, cancel := context.WithCancel(t.Context())
	m.ctx = ctx
	// no two lives share the milliseconds in which most happens
	time.Sleep(time.Duration(m.lived) * 1037 * time.Millisecond)
	m.lived++
	m.Open()
	defer func() {
		cancel()
		if m.stop != nil {
			m.halt(t)
		}
		check(t, m.Store.Close())
	}()
	if m.serial == 0 {
		for range rapid.IntRange(3, 6).Draw(t, "listed") {
			m.Add(t)
		}
	}
	if rapid.Bool().Draw(t, "refuses") {
		m.Refuse(t)
	}
	if rapid.IntRange(0, 4).Draw(t, "cron") > 0 {
		m.start(t)
	}
	actions := rapid.StateMachineActions(m)
	actions["Change again"], actions["Wait again"] = m.Change, m.Wait
	t.Repeat(actions)
	m.settle(t)
	m.enumerated(t)
	if rapid.IntRange(0, 2).Draw(t, "refreshed") == 0 {
		m.refreshed(t)
	}
}

func newMachine(t *testing.T, rt *rapid.T, dir string, n int) *machine {
	sizes := rapid.SampledFrom([]int{2, 3, 100})
	o := sandbox.Options{
		NoUpdatedAtSort: rapid.IntRange(0, 4).Draw(rt, "not sorted") == 0,
		NoIntrospection: rapid.IntRange(0, 4).Draw(rt, "no introspection") == 0,
		Status: rapid.SampledFrom([]sandbox.StatusForm{sandbox.StatusString, sandbox.StatusEnum, sandbox.StatusEnumUpper}).
			Draw(rt, "status"),
	}
	switch rapid.SampledFrom([]string{"null", "an error", "all of the answer"}).Draw(rt, "gone") {
	case "an error":
		o.GoneError = true
	case "all of the answer":
		o.GoneError, o.Schema = true, [][2]string{{"): Publication\n", "): Publication!\n"}}
	}
	if rapid.IntRange(0, 2).Draw(rt, "variants refused") == 0 {
		o.Denied = []string{"productVariants"}
	}
	if rapid.Bool().Draw(rt, "string ids") && !o.NoIntrospection { // the specification's ids are ID
		o.Schema = append(o.Schema, [2]string{": ID!", ": String!"})
	}
	upper := o.Status == sandbox.StatusEnumUpper
	if rapid.IntRange(0, 4).Draw(rt, "coarse") == 0 {
		o.UpdatedAtPrecision = time.Second
	}
	m := &machine{
		Bench: &harness.Bench{
			T:      t,
			Market: sandbox.New(o),
			Shop:   shoptest.New(shoptest.Abilities{Figures: true}),
			Path:   dir + "/" + time.Duration(n).String(),
		},
		sorted: !o.NoUpdatedAtSort,
		// or updatedAt might come back to what it was
		skewed: rapid.IntRange(0, 4).Draw(rt, "skewed") == 0 && o.UpdatedAtPrecision == 0,
		hides:  map[string]hiding{}, ever: map[string]hiding{}, looked: map[string]time.Time{}, shown: map[string]bool{},
		reads:  map[string]int{},
		flying: map[string]int{}, prices: map[string]map[string]string{}, tried: map[string]map[string]string{},
		let: map[[3]string]bool{}, gone: map[string]bool{}, out: map[string]time.Time{},
		refused: map[string]bool{}, unfit: map[string]bool{},
		since: map[string]time.Time{}, ended: map[string]time.Time{},
	}
	m.moody = &moody{Shop: m.Shop, m: m, blocked: map[shopadapter.PublicationID]bool{}}
	m.tap = &tap{m: m, next: m.Market.Transport(), page: sizes.Draw(rt, "page")}
	m.Lists = rapid.Bool().Draw(rt, "lists")
	m.Shop.Can(shoptest.Abilities{Lists: m.Lists, Figures: true})
	concurrency := rapid.SampledFrom([]int{1, 4}).Draw(rt, "concurrency")
	follows := rapid.SampledFrom([]publication.VariantMode{
		publication.VariantsOff, publication.VariantsAuto,
		publication.VariantsOn,
	}).
		Draw(rt, "follows")
	scarce, resyncs := rapid.Bool().Draw(rt, "scarce"), rapid.Bool().Draw(rt, "resyncs")
	forms, err := marketplace.ParseSaid(map[bool]string{true: "status=SUCCESS,FAILED"}[upper])
	check(rt, err)
	sweep, err := cron.ParseStandard("*/15 * * * *")
	check(rt, err)
	resync, err := cron.ParseStandard("17 * * * *")
	check(rt, err)
	m.Tune = func(o *connector.Options) {
		o.Logger, o.Variants = slog.New(panicLog{m}), follows
		o.Marketplace = marketplace.New(marketplace.Config{
			URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en", "nl"}, Transport: m.tap,
			Forms: forms,
		})
		o.Shop, o.Concurrency, o.RefreshAfter, o.FailAfter = m.moody, concurrency, modelRefresh, modelFail
		o.Scarce = func() bool { return scarce }
		o.Rules.StockBuffer = m.buffer
		o.Sweep = sweep
		if resyncs {
			o.Resync = resync
		}
	}
	return m
}

// A panicLog breaks a law over a panic that is logged: one that is recovered from is a mistake all
// the same.
type panicLog struct{ m *machine }

func (panicLog) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelError }

func (l panicLog) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "panic" {
		l.m.mu.Lock()
		defer l.m.mu.Unlock()
		l.m.breaks("something panicked")
	}
	return nil
}

func (l panicLog) WithAttrs([]slog.Attr) slog.Handler { return l }
func (l panicLog) WithGroup(string) slog.Handler      { return l }

// start starts the worker.
func (m *machine) start(t *rapid.T) {
	c := m.Bench.Connector()
	ctx, cancel := context.WithCancel(m.ctx)
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, &connector.Listeners{}) }()
	m.worker, m.stop = c, func() error {
		cancel()
		return <-done
	}
}

func (m *machine) halt(t *rapid.T) {
	err := m.stop()
	m.worker, m.stop = nil, nil
	check(t, err)
}

// alone waits until nobody else does anything, and keeps it so: what is done until release happens
// at one moment.
func (m *machine) alone() (release func()) {
	synctest.Wait()
	m.mu.Lock()
	return m.mu.Unlock
}

// breaks notes that a law is broken. The caller holds the lock.
func (m *machine) breaks(law string) {
	if !slices.Contains(m.broken, law) {
		m.broken = append(m.broken, law)
	}
}

// Check is what holds at any moment.
func (m *machine) Check(t *rapid.T) {
	defer m.alone()()
	if len(m.broken) > 0 {
		t.Fatal(m.broken)
	}
}

func check(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
