package demo

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

const (
	storyPoll  = 50 * time.Millisecond
	storyBound = time.Minute // a change that takes longer is not followed to its end
	storyMost  = 3           // publications of one order that are followed
)

// A story tells on standard output what happens in a demo: each order, and what came of it in the
// shop.
type story struct {
	demo   *Demo
	worker *desk.Client

	mu        sync.Mutex // of standard output
	following sync.WaitGroup
}

func newStory(s *Demo) *story {
	return &story{demo: s, worker: &desk.Client{
		Base: s.address, Token: s.AdminToken, HTTP: http.DefaultClient, Logger: slog.New(slog.DiscardHandler),
	}}
}

// importing shows the import's progress until every publication of the start has been looked at.
func (s *story) importing(ctx context.Context) {
	want, trouble := len(s.demo.market.Publications()), ""
	live, show := say.NewLive(s.demo.Stderr), say.IsTerminal(s.demo.Stderr)
	poll(ctx, func() bool {
		now, err := s.worker.Status(ctx)
		if err != nil {
			return false
		}
		known, counts := 0, []string{}
		for _, state := range store.States() {
			if n := now.Publications[state]; n > 0 {
				known += n
				counts = append(counts, strconv.Itoa(n)+" "+string(state))
			}
		}
		if show {
			live.Show(fmt.Sprintf("importing: %d of %d", known-now.Publications[store.StatePending], want))
		}
		if now.Shop.Paused && now.Shop.Reason != trouble {
			trouble = now.Shop.Reason
			fmt.Fprintf(live, "the shop is paused: %s\n", say.Harmless(trouble))
		}
		if known < want || now.Due > 0 || now.Outbox > 0 {
			return false
		}
		if show {
			live.Show("")
		}
		s.say("imported: %s (some entries are as suppliers really send them: without a title, a variant, a price)",
			strings.Join(counts, ", "))
		return true
	})
}

func poll(ctx context.Context, f func() (done bool)) {
	for !f() && ctx.Err() == nil {
		breaker.Sleep(ctx, storyPoll)
	}
}

// tell prints what an order did at the marketplace, and what it led to in the shop.
func (s *story) tell(ctx context.Context, done sandbox.Outcome) {
	start := time.Now()
	s.say("%s  %s", start.Format(time.TimeOnly), done.Said)
	if done.Do == "refuse" {
		return // nothing of it reaches the shop
	}
	if done.Do == "remove" { // no webhook is sent for it
		_, _ = s.worker.Sweep(ctx, true) //nolint:errcheck // a sweep on the schedule finds it
	}
	for _, id := range done.IDs[:min(len(done.IDs), storyMost)] {
		p, listed := s.demo.market.Publication(id)
		s.following.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, storyBound)
			defer cancel()
			poll(ctx, func() bool {
				e, err := s.worker.Explain(ctx, id)
				if err != nil {
					return false
				}
				came, ok := s.outcome(e, listed, p.UpdatedAt)
				if ok {
					s.say("          after %.1f s %s", time.Since(start).Seconds(), came)
				}
				return ok
			})
		})
	}
}

// outcome describes what a change led to in the shop. It returns false until the worker has read
// the changed publication.
func (s *story) outcome(e desk.Explanation, listed bool, since time.Time) (string, bool) {
	read, err := time.Parse(time.RFC3339Nano, e.Source.UpdatedAt)
	switch {
	case len(e.Held) > 0 && (!listed || err == nil && !read.Before(since)):
		const indent = "\n          "
		return fmt.Sprintf("held: %s%slet it through: PUBSYNC_STORE_PATH=%s %s approve %s", e.Held[0].Reason, indent,
			s.demo.StorePath, say.Program(), e.ID), true
	case !listed:
		return "out of sale", e.State == store.StateWithdrawn
	case err != nil || read.Before(since) || e.Shop.Unsettled != 0:
		return "", false
	case e.Problem != nil && e.Problem.Message != "":
		return fmt.Sprintf("%s: %s", e.State, e.Problem.Message), true
	default:
		return "in the shop: " + e.Shop.URL, e.Shop.OnSale
	}
}

func (s *story) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintln(s.demo.Stdout, say.HarmlessLines(fmt.Sprintf(format, args...)))
}
