//go:build unix

// Replicas that are killed, stopped, cut from their database and set to a wrong time lose and double
// nothing, and no replica calls the shop of an account that another may have.

package main_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
	"github.com/pubsync/pubsync/store/postgrestest"
)

var (
	replicaSteps = flag.Int(
		"replicas.steps",
		2,
		"how many troubles the campaign of replicas meets; the third moves a clock",
	)
	replicaAccounts = flag.Int("replicas.accounts", 6, "how many accounts the campaign of replicas has")
	replicaSeed     = flag.Uint64("replicas.seed", 0, "seed of the campaign of replicas; 0 draws one")
)

// longerThanALease is how long a replica is stopped or cut off: another has its accounts when it
// goes on.
const longerThanALease = 13 * time.Second

// A replica is one process of several on one database.
type replica struct {
	*worker
	name  string
	wire  *wire
	ahead int // by how many hours its clock was moved
}

// A replicaCampaign is replicas in trouble, and accounts whose supply changes meanwhile.
type replicaCampaign struct {
	*estate
	dice    *rand.Rand
	names   []string
	server  *postgrestest.Server
	program string // the replicas', from the third step on with a clock that moves
	board   switchboard
	fronts  map[string]string // the address of each account's shop, by its name
	book    book

	mu       sync.Mutex
	replicas []*replica
	hung     *replica // takes no webhook

	told map[string]map[string]bool // the publications whose last change was acknowledged, by account
	sent atomic.Int64               // webhooks that were acknowledged
}

// Whatever happens to three replicas and their database, each shop ends with what its marketplace
// lists, each report is true, and only the owner of an account calls its shop.
func TestReplicasInTrouble(t *testing.T) {
	long(t)
	seed := *replicaSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-replicas.seed=%d", seed)
	c := openReplicas(t, seed)
	for range 3 {
		c.replicas = append(c.replicas, c.begin())
	}
	eventually(t, 15*time.Second, "each replica has accounts", func() bool { return len(c.owners()) == 3 })
	trading, stopTrading := context.WithCancel(t.Context())
	var traders sync.WaitGroup
	for i, name := range c.names {
		traders.Go(func() { c.trade(trading, name, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	t.Cleanup(func() { stopTrading(); traders.Wait() })

	processes := []struct {
		name string
		do   func(i int)
	}{
		{"one is killed", func(i int) {
			c.replicas[i].kill()
			c.replace(i)
		}},
		{"one hangs for longer than its lease", c.hang},
		{"the clock of one jumps by an hour", c.jump},
		{"the database is killed and comes back", func(int) {
			if err := c.server.Stop(true); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			if err := c.server.Restart(); err != nil {
				t.Fatal(err)
			}
		}},
		{"one stops, and another comes", func(i int) {
			c.replicas[i].stop()
			c.replace(i)
		}},
	}
	wires := []struct {
		name string
		do   func(w *wire) (end func())
	}{
		{"is slow", func(w *wire) func() {
			w.delays(100 * time.Millisecond)
			return func() { w.delays(0) }
		}},
		{"is cut in the middle of answers", func(w *wire) func() {
			w.cutsAnswers(10)
			return func() { w.cutsAnswers(0) }
		}},
		{"is cut again and again", cutAgain},
		{"carries nothing for longer than a lease", func(w *wire) func() {
			until, carriesAgain := time.Now().Add(longerThanALease), w.blocks()
			return func() {
				time.Sleep(time.Until(until))
				carriesAgain()
			}
		}},
	}
	for step := range *replicaSteps {
		process, cable := processes[step%len(processes)], wires[step%len(wires)]
		if step >= len(wires) {
			cable = wires[c.dice.IntN(len(wires))]
		}
		i, other := c.draw()
		t.Logf("step %d, %s: %s; the wire of another %s", step, clock(time.Now()), process.name, cable.name)
		end := cable.do(other.wire)
		process.do(i)
		end()
		time.Sleep(time.Second)
	}
	stopTrading()
	traders.Wait()
	c.judge()
	for _, r := range c.replicas {
		r.stop()
	}
	if r := c.callWith([]string{"ADMIN_LISTEN", "off"}, "status"); r.code != 0 {
		t.Errorf("status: exit %d, want 0\n%s%s", r.code, r.stdout, r.stderr)
	}
	c.audit()
}

// draw draws a replica that has accounts, and another one that has some too, if any does.
func (c *replicaCampaign) draw() (i int, other *replica) {
	c.t.Helper()
	owners := c.owners()
	order := c.dice.Perm(len(c.replicas))
	slices.SortStableFunc(order, func(a, b int) int {
		return -cmp.Compare(min(owners[c.replicas[a].admin], 1), min(owners[c.replicas[b].admin], 1))
	})
	return order[0], c.replicas[order[1]]
}

// openReplicas makes accounts in a database that records what becomes of each lease.
func openReplicas(t *testing.T, seed uint64) *replicaCampaign {
	t.Helper()
	var names []string
	for i := range *replicaAccounts {
		names = append(names, fmt.Sprintf("account-%d", i))
	}
	c := &replicaCampaign{
		estate: openEstate(t, names...), names: names, dice: rand.New(rand.NewPCG(seed, 1)),
		program: binary, fronts: map[string]string{}, told: map[string]map[string]bool{},
		book: book{admins: map[string]string{}},
	}
	if *replicaSteps > 2 {
		var err error
		if c.program, err = buildWithClock(t.Context(), t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	c.server = inPostgres(t, c.site)
	watchLeases(t, c.env["PUBSYNC_STORE_URL"])
	for _, name := range names {
		c.told[name] = map[string]bool{}
		c.fronts[name] = c.board.front(t, name, c.sites[name].shop)
		c.sites[name].shop.rules(func(shoptest.Call) shoptest.Reply {
			return shoptest.Reply{Wait: rand.N(200 * time.Millisecond)}
		})
		c.sites[name].env = c.sites[name].env.with("MARKETPLACE_URL", distant(t, c.sites[name].market.URL))
	}
	return c
}

// distant is the address of a marketplace that takes its time. So a replica that is stopped has
// looks under way that have not come to their shop.
func distant(t *testing.T, market string) string {
	t.Helper()
	u, err := url.Parse(market)
	if err != nil {
		t.Fatal(err)
	}
	inner := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(u) }}
	inner.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { // whoever asked has gone
		w.WriteHeader(http.StatusBadGateway)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(rand.N(300 * time.Millisecond))
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}

// begin starts a replica. It has a wire of its own to the database, and an address of its own for
// each shop.
func (c *replicaCampaign) begin() *replica {
	c.t.Helper()
	r := &replica{
		name: fmt.Sprintf("replica-%d", len(c.book.admins)), wire: openWire(c.t, c.env["PUBSYNC_STORE_URL"]),
	}
	folder := filepath.Join(c.dir, r.name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		c.t.Fatal(err)
	}
	for _, name := range c.names {
		writeAccount(c.t, folder, name, c.sites[name].env.with("HTTP_URL", c.fronts[name]+"/"+r.name))
	}
	admin := freePort(c.t)
	c.set("ADMIN_LISTEN", admin)
	r.worker = c.startAs(exec.Command(c.program, "run"), "STORE_URL", r.wire.through(c.t, c.env["PUBSYNC_STORE_URL"]),
		"ACCOUNTS_DIR", folder)
	c.book.admins[r.name] = admin
	eventually(c.t, 15*time.Second, r.name+" is ready", r.ready)
	return r
}

// replace begins a replica in the place of one that has ended.
func (c *replicaCampaign) replace(i int) {
	c.t.Helper()
	r := c.begin()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replicas[i] = r
}

// hang stops a replica for longer than its lease.
func (c *replicaCampaign) hang(i int) {
	c.t.Helper()
	r := c.replicas[i]
	c.mu.Lock()
	c.hung = r
	c.mu.Unlock()
	f := freeze{replica: r.name, from: time.Now()}
	r.signal(syscall.SIGSTOP)
	time.Sleep(longerThanALease)
	f.to = time.Now()
	r.signal(syscall.SIGCONT)
	c.book.freezes = append(c.book.freezes, f)
	c.mu.Lock()
	c.hung = nil
	c.mu.Unlock()
}

// jump moves the clock of a replica by an hour, ahead or back, or where it was moved to what it was.
// It stays so.
func (c *replicaCampaign) jump(i int) {
	c.t.Helper()
	r := c.replicas[i]
	way := anHourAhead
	if r.ahead > 0 || r.ahead == 0 && c.dice.IntN(2) == 0 {
		way = anHourBack
	}
	moves := strings.Count(r.stderr.String(), clockMoved)
	r.signal(way)
	if r.ahead++; way == anHourBack {
		r.ahead -= 2
	}
	eventually(c.t, 5*time.Second, "the clock of "+r.name+" is moved", func() bool {
		return strings.Count(r.stderr.String(), clockMoved) > moves
	})
	time.Sleep(3 * time.Second)
}

// cutAgain cuts a wire until the function that it returns is called.
func cutAgain(w *wire) (end func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.Tick(300 * time.Millisecond); ; {
			select {
			case <-tick:
				w.cuts()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// trade changes the supply of an account until ctx ends, and tells each change to some replica. What
// no replica accepts is not told again: the next sweep finds it.
func (c *replicaCampaign) trade(ctx context.Context, name string, dice *rand.Rand) {
	client, s, told := &http.Client{Timeout: 5 * time.Second}, c.sites[name], c.told[name]
	for ctx.Err() == nil {
		list := s.market.Publications()
		id := list[dice.IntN(len(list))].ID
		if len(list) < 20 && dice.IntN(4) == 0 {
			id = s.add(lamp(1000 + dice.IntN(1_000_000)))
		} else {
			n := dice.IntN(90)
			if err := s.market.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = n }); err != nil {
				c.t.Error(err)
			}
		}
		told[id] = c.tell(client, c.anyReplica(dice), name, id)
		select {
		case <-time.After(time.Duration(dice.IntN(400)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// anyReplica is a replica that is not stopped.
func (c *replicaCampaign) anyReplica(dice *rand.Rand) *replica {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		if r := c.replicas[dice.IntN(len(c.replicas))]; r != c.hung {
			return r
		}
	}
}

// tell sends a webhook, and reports whether it was acknowledged.
func (c *replicaCampaign) tell(client *http.Client, r *replica, name, id string) bool {
	body := fmt.Sprintf(`{"data":{"publication":{"id":%q}}}`, id)
	req, err := http.NewRequest(http.MethodPost, r.hooks+"/"+name+"/webhooks", strings.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return false
	}
	req.Header.Set("X-Service-Signature", signature(body)) // an unsigned one may wait for a minute
	req.Header.Set("X-Service-Event", "PUBLICATION_UPDATED")
	res, err := client.Do(req)
	if err != nil { // the replica has ended, or waits for its database
		return false
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusNoContent:
		c.sent.Add(1)
		return true
	case http.StatusServiceUnavailable:
	default:
		c.t.Errorf("a webhook of %s: %d, want 204 or 503", name, res.StatusCode)
	}
	return false
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
	// What a webhook told is done without a sweep.
	c.each("is as it was told", func(name string) string { return c.sites[name].differs(c.told[name]) })
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
	c.each("is as its marketplace lists", func(name string) string { return c.sites[name].differs(nil) })
}

// each waits until no account is wrong.
func (c *replicaCampaign) each(what string, wrong func(name string) string) {
	c.t.Helper()
	begun := time.Now()
	defer func() { c.t.Logf("each account %s after %s", what, time.Since(begun).Round(time.Second/10)) }()
	for _, name := range c.names {
		last := ""
		c.t.Cleanup(func() {
			if last != "" {
				c.t.Errorf("%s: %s", name, last)
			}
		})
		eventually(c.t, 10*time.Second, name+" "+what, func() bool {
			last = wrong(name)
			return last == ""
		})
	}
}

// audit holds each call of a shop to the history of the leases.
func (c *replicaCampaign) audit() {
	c.t.Helper()
	c.book.rings, c.book.history = c.board.all(), leaseHistory(c.t, c.env["PUBSYNC_STORE_URL"])
	faults, excused := c.book.check()
	for _, fault := range faults {
		c.t.Errorf("a call without the lease: %s", fault)
	}
	// Every replica has ended: a call of the first one now is one fault more, else the ledger is blind.
	sabotaged := c.book
	sabotaged.rings = append(slices.Clone(c.book.rings), ring{at: time.Now(), account: c.names[0], replica: "replica-0"})
	if found, _ := sabotaged.check(); len(found) != len(faults)+1 {
		c.t.Errorf("a call after the end of all leases: %d faults, want %d", len(found), len(faults)+1)
	}
	terms, _ := termsOf(c.book.history)
	c.t.Logf("%d accounts, %d steps, %d webhooks acknowledged, %d calls of shops in %d terms of leases, %d excused",
		len(c.names), *replicaSteps, c.sent.Load(), len(c.book.rings), len(terms), excused)
}

// differs is how the shop differs from what the marketplace lists, "" where it does not. With told
// it is asked of these publications alone.
func (s *site) differs(told map[string]bool) string {
	list, held := s.market.Publications(), s.shop.Products()
	if told == nil && len(list) != len(held) {
		return fmt.Sprintf("the shop holds %d products, want %d", len(held), len(list))
	}
	for _, p := range list {
		if told != nil && !told[p.ID] {
			continue
		}
		h, ok := held[p.ID]
		switch {
		case !ok || !h.OnSale:
			return fmt.Sprintf("%s is not on sale", p.ID)
		case h.Variants[0].Quantity != p.Listing.Variants[0].Quantity:
			return fmt.Sprintf("%s has %d pieces, want %d", p.ID, h.Variants[0].Quantity,
				p.Listing.Variants[0].Quantity)
		case !slices.Equal(slices.Compact(s.reported(p.ID)), []string{"success"}): // again where an answer was lost
			return fmt.Sprintf("%s was reported %v, want success", p.ID, s.reported(p.ID))
		}
	}
	return ""
}
