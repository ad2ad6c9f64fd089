//go:build unix

// The world of several replicas over PostgreSQL: they are killed, stopped and cut from their database,
// and no replica calls the shop of an account that another may have.

package main_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgrestest"
)

// longerThanALease is how long a replica is stopped or cut off: another has its accounts when it
// goes on.
const longerThanALease = 13 * time.Second

type replica struct {
	*worker
	name string
	wire *wire
}

// A replicaWorld is replicas that share the accounts of a campaign.
type replicaWorld struct {
	*estate
	c    *campaign
	book book

	mu       sync.Mutex
	replicas []*replica

	stopTrading func()
	sent        atomic.Int64 // webhooks that were acknowledged
}

// Whatever happens to three replicas and their database, each shop ends with what its marketplace
// lists, each report is true, and only the owner of an account calls its shop.
func TestReplicasInTrouble(t *testing.T) {
	long(t)
	t.Parallel()
	c := newCampaign(t, "replicas")
	w := openReplicas(t, c)
	for range 3 {
		w.replicas = append(w.replicas, w.begin())
	}
	eventually(t, 15*time.Second, "each account is worked on", func() bool {
		n := 0
		for _, has := range w.owners() {
			n += has
		}
		return n == len(c.accounts)
	})
	ctx, cancel := context.WithCancel(t.Context())
	var traders sync.WaitGroup
	for i, a := range c.accounts {
		traders.Go(func() { w.trade(ctx, a, rand.New(rand.NewPCG(c.seed, uint64(i)))) })
	}
	w.stopTrading = func() { cancel(); traders.Wait() }
	t.Cleanup(w.stopTrading)
	c.run(w)
}

// openReplicas makes accounts, far from their marketplaces and shops, in a database that records what
// becomes of each lease. So a replica that is stopped has work under way.
func openReplicas(t *testing.T, c *campaign) *replicaWorld {
	t.Helper()
	var names []string
	for i := range *campaignAccounts {
		names = append(names, fmt.Sprintf("account-%d", i))
	}
	w := &replicaWorld{
		estate: openEstateOn(t, postgrestest.Start(t), names...), c: c,
		book: book{admins: map[string]string{}, calls: map[string][]shopCall{}},
	}
	for _, name := range names {
		a := openAccount(t, name, w.sites[name], 20)
		a.marketDoor.pause, a.shopDoor.pause = 300*time.Millisecond, 200*time.Millisecond
		c.accounts = append(c.accounts, a)
	}
	watchLeases(t, w.server, w.env["PUBSYNC_STORE_URL"])
	return w
}

func (w *replicaWorld) patience() time.Duration { return slack * 10 * time.Second }

func (w *replicaWorld) troubles(dice *rand.Rand) (all []trouble) {
	processes := []struct {
		name string
		do   func(i int, dice *rand.Rand)
	}{
		{"one is killed", func(i int, _ *rand.Rand) { w.replicas[i].kill(); w.replace(i) }},
		{"one hangs for longer than its lease", w.hang},
		{"the database is killed and comes back", w.crash},
		{"one stops, and another comes", func(i int, _ *rand.Rand) { w.replicas[i].stop(); w.replace(i) }},
	}
	for n := range *campaignSteps {
		process, wires := processes[n%len(processes)], harms[n%len(harms)]
		if n >= len(harms) {
			wires = harms[dice.IntN(len(harms))]
		}
		all = append(all, trouble{
			name: process.name + ", the wire of another " + wires.name,
			befall: func(dice *rand.Rand) bool {
				i, other := w.draw(dice)
				begun := time.Now()
				other.wire.suffer(wires.of(other.wire))
				process.do(i, dice)
				time.Sleep(time.Until(begun.Add(wires.span)))
				harmed := other.wire.suffer(nil)
				time.Sleep(time.Second)
				return harmed > 0
			},
		})
	}
	return all
}

// draw draws a replica that has accounts, and another one that has some too, if any does.
func (w *replicaWorld) draw(dice *rand.Rand) (i int, other *replica) {
	w.t.Helper()
	owners := w.owners()
	order := dice.Perm(len(w.replicas))
	slices.SortStableFunc(order, func(a, b int) int {
		return -cmp.Compare(min(owners[w.replicas[a].admin], 1), min(owners[w.replicas[b].admin], 1))
	})
	return order[0], w.replicas[order[1]]
}

func (w *replicaWorld) begin() *replica {
	w.t.Helper()
	database := w.env["PUBSYNC_STORE_URL"]
	r := &replica{name: fmt.Sprintf("replica-%d", len(w.book.admins)), wire: openWire(w.t, database)}
	folder := filepath.Join(w.dir, r.name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		w.t.Fatal(err)
	}
	for _, a := range w.c.accounts {
		writeAccount(w.t, folder, a.name, a.by(r.name))
	}
	admin := freePort(w.t)
	w.set("ADMIN_LISTEN", admin)
	r.worker = w.startAs(exec.Command(binary, "run"), "STORE_URL", r.wire.through(), "ACCOUNTS_DIR", folder)
	w.book.admins[r.name] = admin
	eventually(w.t, 15*time.Second, r.name+" is ready", r.ready)
	return r
}

func (w *replicaWorld) replace(i int) {
	w.t.Helper()
	r := w.begin()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.replicas[i] = r
}

func (w *replicaWorld) hang(i int, _ *rand.Rand) {
	w.t.Helper()
	r := w.replicas[i]
	f := freeze{replica: r.name, from: time.Now()}
	r.signal(syscall.SIGSTOP)
	time.Sleep(longerThanALease)
	f.to = time.Now()
	r.signal(syscall.SIGCONT)
	w.book.freezes = append(w.book.freezes, f)
}

// crash kills the database, and starts it again.
func (w *replicaWorld) crash(int, *rand.Rand) {
	w.t.Helper()
	if err := w.server.Stop(true); err != nil {
		w.t.Fatal(err)
	}
	time.Sleep(time.Second)
	if err := w.server.Restart(); err != nil {
		w.t.Fatal(err)
	}
}

// trade changes the supply of an account until ctx ends, and tells each change to some replica. What
// no replica accepts is not told again: the next sweep finds it.
func (w *replicaWorld) trade(ctx context.Context, a *account, dice *rand.Rand) {
	for ctx.Err() == nil {
		w.mu.Lock()
		r := w.replicas[dice.IntN(len(w.replicas))]
		w.mu.Unlock()
		if a.tell(r.hooks+"/"+a.name+"/webhooks", a.move(dice)) {
			w.sent.Add(1)
		}
		select {
		case <-time.After(time.Duration(dice.IntN(400)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// rest ends the trade, waits until what webhooks told is done without a sweep, and then sweeps: that
// finds each change without an accepted webhook.
func (w *replicaWorld) rest() {
	w.t.Helper()
	w.stopTrading()
	eventually(w.t, 10*time.Second, "every account is worked on", func() bool {
		n := 0
		for _, accounts := range w.owners() {
			n += accounts
		}
		return n == len(w.c.accounts)
	})
	w.c.lawful(w.patience(), (*account).asTold)
	for _, r := range w.replicas {
		var list struct {
			Accounts []struct{ Name, State string }
		}
		r.get("/api/v1/accounts", &list)
		for _, a := range list.Accounts {
			if a.State == "working" {
				r.post("/accounts/"+a.Name+"/api/v1/sweep", `{}`)
			}
		}
	}
}

// audit ends all replicas, and holds each call of a shop to the history of the leases.
func (w *replicaWorld) audit() {
	w.t.Helper()
	for _, r := range w.replicas {
		r.stop()
	}
	if r := w.callWith([]string{"ADMIN_LISTEN", "off"}, "status"); r.code != 0 {
		w.t.Errorf("status: exit %d, want 0\n%s%s", r.code, r.stdout, r.stderr)
	}
	w.book.leases = leaseHistory(w.t, w.server)
	calls, beats := 0, 0
	for _, a := range w.c.accounts {
		w.book.calls[a.name] = a.ledger.calls
		calls += len(a.ledger.calls)
		beats += len(w.book.leases[a.name])
	}
	faults, excused := w.book.check()
	for _, fault := range faults {
		w.t.Errorf("a call without the lease: %s", fault)
	}
	// Every replica has ended: a call of the first one now is one fault more, else the ledger is blind.
	w.book.calls["account-0"] = append(w.book.calls["account-0"], shopCall{at: time.Now(), replica: "replica-0"})
	if found, _ := w.book.check(); len(found) != len(faults)+1 {
		w.t.Errorf("a call after the end of all leases: %d faults, want %d", len(found), len(faults)+1)
	}
	w.t.Logf("%d accounts, %d webhooks acknowledged, %d calls of shops, %d writes of leases, %d calls excused",
		len(w.c.accounts), w.sent.Load(), calls, beats, excused)
}
