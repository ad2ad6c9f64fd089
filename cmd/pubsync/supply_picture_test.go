// Pictures that come late, or that the shop refuses.

package main_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// without has the shop leave out the first picture of what it is sent, for a reason.
func without(reason string, later bool) func(request) reply {
	return func(r request) reply {
		if r.Method != http.MethodPut || !slices.Contains(r.Sent.Changed, "images") || len(r.Sent.Images) == 0 {
			return reply{}
		}
		return reply{missing: []map[string]any{{"url": r.Sent.Images[0], "reason": reason, "later": later}}}
	}
}

func TestPicturesWhoseServerIsAwayDuringAnImport(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(4)
	s.shop.rules(without("the host answered 503", true))
	sum := s.once("--patience", "1s")
	if sum.Exit != 0 || sum.Created != 4 || sum.Reported != 4 || s.shop.onSale() != 4 {
		t.Fatalf("the import: %+v, %d on sale", sum, s.shop.onSale())
	}
	l := s.expectState(ids[0], "partial")
	if !strings.Contains(l.Error, "503") || l.Reported != "success" || l.NextAttemptAt == nil {
		t.Errorf("listed as %+v", l)
	}
	explained := s.call("explain", ids[0])
	for _, want := range []string{
		"could not be fetched", "503", s.shop.product(t, ids[0]).sent.Images[0],
		"pictures that could not be fetched",
	} {
		if !strings.Contains(explained.stdout, want) {
			t.Errorf("explain says nothing of %q:\n%s", want, explained.stdout)
		}
	}
	var status struct{ Publications map[string]int }
	s.call("status", "--json").decode(t, &status)
	if status.Publications["partial"] != 4 {
		t.Errorf("status counts %v", status.Publications)
	}
	s.shop.rules(nil)
	var plan struct{ Change []struct{ ID, Field string } }
	s.call("plan", "--json").decode(t, &plan)
	if len(plan.Change) != 4 || plan.Change[0].Field != "images" {
		t.Errorf("the plan: %+v", plan)
	}
	s.shop.forget()
	if sum := s.once(); sum.Exit != 0 || sum.Updated != 4 || sum.Reported != 0 {
		t.Errorf("once the pictures are back: %+v", sum)
	}
	for _, id := range ids {
		s.expectState(id, "live")
		if puts := s.shop.puts(id); len(puts) != 1 || !slices.Equal(puts[0].Sent.Changed, []string{"images"}) {
			t.Errorf("%d PUTs of %s", len(puts), id)
		}
	}
}

func TestTheWorkerAsksAgainForAPictureThatCameLate(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	s.shop.rules(without("connection refused", true))
	w := s.work()
	eventually(t, 15*time.Second, "both are on sale without a picture",
		func() bool { return len(s.lines("partial")) == 2 })
	s.shop.rules(nil)
	eventually(t, 20*time.Second, "both have their pictures", func() bool { return len(s.lines("live")) == 2 })
	w.stop()
	for _, id := range ids {
		if got := s.reported(id); !slices.Equal(got, []string{"success"}) {
			t.Errorf("reported %v", got)
		}
	}
}

func TestAPictureThatTheShopRefuses(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	s.shop.rules(without("it is neither JPEG nor PNG", false))
	if sum := s.imported(); sum.Created != 1 || sum.Reported != 1 {
		t.Errorf("the import: %+v", sum)
	}
	if l := s.expectState(id, "partial"); !strings.Contains(l.Error, "neither JPEG") {
		t.Errorf("listed as %+v", l)
	}
	if r := s.call("explain", id); !strings.Contains(r.stdout, "refused by the shop") ||
		!strings.Contains(r.stdout, "neither JPEG") {
		t.Errorf("explained as %s", r.stdout)
	}
	s.shop.rules(nil)
	s.shop.forget()
	s.imported("--full")
	if n := len(s.shop.puts(id)); n != 0 {
		t.Errorf("%d PUTs that nobody asked for", n)
	}
	if r := s.call("retry", id); r.code != 0 {
		t.Fatalf("retry: %s", r.stderr)
	}
	if sum := s.imported(); sum.Updated != 1 {
		t.Errorf("asked: %+v", sum)
	}
	s.expectState(id, "live")
}
