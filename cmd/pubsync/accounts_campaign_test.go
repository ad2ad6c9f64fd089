//go:build unix

// Replicas that are killed, stopped and cut from their database lose and double nothing.

package main_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

var (
	replicaSteps    = flag.Int("replicas.steps", 2, "how many troubles the campaign of replicas meets")
	replicaAccounts = flag.Int("replicas.accounts", 6, "how many accounts the campaign of replicas has")
	replicaSeed     = flag.Uint64("replicas.seed", 0, "seed of the campaign of replicas; 0 draws one")
)

// longerThanALease is how long a replica is stopped: another has its accounts when it goes on.
const longerThanALease = 13 * time.Second

// A replicaCampaign is replicas in trouble, and accounts whose supply changes meanwhile.
type replicaCampaign struct {
	*estate
	dice     *rand.Rand
	names    []string
	start    func() *worker
	replicas []*worker
	sent     int // webhooks that were acknowledged
}

// Whatever happens to three replicas and their database, each shop ends with what its marketplace
// lists, and each report is true.
func TestReplicasInTrouble(t *testing.T) {
	seed := *replicaSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-replicas.seed=%d", seed)
	var names []string
	for i := range *replicaAccounts {
		names = append(names, fmt.Sprintf("account-%d", i))
	}
	e := openEstate(t, names...)
	server, replica := e.inDatabase()
	c := &replicaCampaign{estate: e, dice: rand.New(rand.NewPCG(seed, 1)), names: names, start: replica}
	for range 3 {
		c.replicas = append(c.replicas, replica())
	}
	troubles := []struct {
		name string
		do   func()
	}{
		{"a replica is killed", func() {
			i := c.dice.IntN(len(c.replicas))
			c.replicas[i].kill()
			c.stir()
			c.replicas[i] = c.start()
		}},
		{"a replica hangs for longer than its lease", func() {
			w := c.replicas[c.dice.IntN(len(c.replicas))]
			w.signal(syscall.SIGSTOP)
			c.stir(w)
			time.Sleep(longerThanALease)
			c.stir(w)
			w.signal(syscall.SIGCONT)
		}},
		{"the database is killed and comes back", func() {
			if err := server.Stop(true); err != nil {
				t.Fatal(err)
			}
			c.stir()
			if err := server.Restart(); err != nil {
				t.Fatal(err)
			}
		}},
		{"a replica stops, and another comes", func() {
			i := c.dice.IntN(len(c.replicas))
			c.replicas[i].stop()
			c.stir()
			c.replicas[i] = c.start()
		}},
	}
	for step := range *replicaSteps {
		trouble := troubles[step%len(troubles)]
		t.Logf("step %d: %s", step, trouble.name)
		c.stir()
		trouble.do()
		c.stir()
	}
	c.judge()
	t.Logf("%d accounts, %d steps, %d webhooks acknowledged", len(names), *replicaSteps, c.sent)
	for _, w := range c.replicas {
		w.stop()
	}
}

// stir changes the supply of some accounts, and tells it at any replica but those that hang. What no
// replica accepts is told again, as the marketplace does.
func (c *replicaCampaign) stir(hung ...*worker) {
	c.t.Helper()
	for range 1 + len(c.names)/4 {
		name := c.names[c.dice.IntN(len(c.names))]
		s := c.sites[name]
		list := s.market.Publications()
		id := list[c.dice.IntN(len(list))].ID
		if c.dice.IntN(3) == 0 {
			id = s.add(lamp(1000 + c.dice.IntN(1_000_000)))
		} else {
			if err := s.market.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = c.dice.IntN(90) }); err != nil {
				c.t.Fatal(err)
			}
		}
		body := fmt.Sprintf(`{"data":{"publication":{"id":%q}}}`, id)
		w := c.replicas[c.dice.IntN(len(c.replicas))]
		if slices.Contains(hung, w) || !w.running() {
			continue
		}
		req, err := http.NewRequest(http.MethodPost, w.hooks+"/"+name+"/webhooks/"+pathToken, strings.NewReader(body))
		if err != nil {
			c.t.Fatal(err)
		}
		client := &http.Client{Timeout: 20 * time.Second}
		if res, err := client.Do(req); err == nil {
			res.Body.Close()
			switch res.StatusCode {
			case http.StatusNoContent:
				c.sent++
			case http.StatusServiceUnavailable:
			default:
				c.t.Errorf("a webhook of %s: %d, want 204 or 503", name, res.StatusCode)
			}
		}
	}
}

// judge waits until each shop holds what its marketplace lists, and holds both to the laws.
func (c *replicaCampaign) judge() {
	c.t.Helper()
	eventually(c.t, 10*time.Second, "every account is worked on", func() bool {
		n := 0
		for _, accounts := range c.owners() {
			n += accounts
		}
		return n == len(c.names)
	})
	if r := c.callWith([]string{"ADMIN_LISTEN", "off"}, "status"); r.code != 0 {
		c.t.Errorf("status: exit %d, want 0\n%s", r.code, r.stderr)
	}
	for _, w := range c.replicas { // a change without an accepted webhook is found by the next sweep
		var list struct {
			Accounts []struct{ Name, State string }
		}
		w.get("/api/v1/accounts", &list)
		for _, a := range list.Accounts {
			if a.State == "working" {
				w.post("/accounts/"+a.Name+"/api/v1/sweep", `{}`)
			}
		}
	}
	for _, name := range c.names {
		s := c.sites[name]
		wrong := ""
		c.t.Cleanup(func() {
			if wrong != "" {
				c.t.Errorf("%s: %s", name, wrong)
			}
		})
		eventually(c.t, 10*time.Second, name+" is as its marketplace lists", func() bool {
			wrong = s.differs()
			return wrong == ""
		})
	}
}

// differs is how the shop differs from what the marketplace lists, "" where it does not.
func (s *site) differs() string {
	list, held := s.market.Publications(), s.shop.holds()
	if len(list) != len(held) {
		return fmt.Sprintf("the shop holds %d products, want %d", len(held), len(list))
	}
	for _, p := range list {
		h, ok := held[p.ID]
		switch {
		case !ok || !h.onSale:
			return fmt.Sprintf("%s is not on sale", p.ID)
		case h.sent.Variants[0].Quantity != p.Listing.Variants[0].Quantity:
			return fmt.Sprintf("%s has %d pieces, want %d", p.ID, h.sent.Variants[0].Quantity,
				p.Listing.Variants[0].Quantity)
		case !slices.Equal(slices.Compact(s.reported(p.ID)), []string{"success"}): // again where an answer was lost
			return fmt.Sprintf("%s was reported %v, want success", p.ID, s.reported(p.ID))
		}
	}
	return ""
}
