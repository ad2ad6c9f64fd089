//go:build unix

// Several replicas over PostgreSQL are killed, stopped and cut from their database, and none calls
// the shop of an account that another may have.

package main_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgres"
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

// Replicas share the accounts of a campaign.
type replicas struct {
	*estate
	c    *campaign
	book book

	mu  sync.Mutex
	all []*replica
}

// Whatever happens to three replicas and their database, each shop ends with what its marketplace
// lists, each report is true, and only the owner of an account calls its shop.
func TestReplicasInTrouble(t *testing.T) {
	long(t)
	t.Parallel()
	c := newCampaign(t, "replicas")
	var names []string
	for i := range *campaignAccounts {
		names = append(names, fmt.Sprintf("account-%d", i))
	}
	r := &replicas{
		estate: openEstateOn(t, postgrestest.Start(t), names...), c: c,
		book: book{admins: map[string]string{}, calls: map[string][]shopCall{}},
	}
	for _, name := range names { // far from the program, so that a replica that is stopped has work under way
		a := openAccount(t, name, r.sites[name], 20)
		a.marketDoor.pause, a.shopDoor.pause = 300*time.Millisecond, 200*time.Millisecond
		c.accounts = append(c.accounts, a)
	}
	d, err := postgres.Connect(t.Context(), r.env["PUBSYNC_STORE_URL"]) // makes the tables
	if err != nil {
		t.Fatal(err)
	}
	d.Close()
	r.server.Ask(t, "pubsync", recordLeases)
	for range 3 {
		r.all = append(r.all, r.begin())
	}
	r.allWorked(15 * time.Second)
	ctx, cancel := context.WithCancel(t.Context())
	var traders sync.WaitGroup
	for i, a := range c.accounts {
		traders.Go(func() { r.trade(ctx, a, rand.New(rand.NewPCG(c.seed, uint64(i)))) })
	}
	t.Cleanup(traders.Wait)
	t.Cleanup(cancel)
	troubles := []struct {
		name string
		do   func(i int)
	}{
		{"one is killed", func(i int) { r.all[i].kill(); r.replace(i) }},
		{"one hangs for longer than its lease", r.hang},
		{"the database is killed and comes back", r.crash},
	}
	for n := range *campaignSteps {
		trouble, harm := troubles[n%len(troubles)], harms[(n+n/len(troubles))%len(harms)]
		c.round(n, trouble.name+", the wire of another "+harm.name, func(dice *rand.Rand) bool {
			i, other := r.draw(dice)
			begun := time.Now()
			before, does := other.wire.harmed.Load(), harm.of()
			other.wire.harm.Store(&does)
			trouble.do(i)
			time.Sleep(time.Until(begun.Add(harm.span)))
			other.wire.harm.Store(nil)
			time.Sleep(time.Second)
			return other.wire.harmed.Load() > before
		})
	}
	cancel()
	traders.Wait()
	r.rest()
	c.lawful(slack*10*time.Second, (*account).all)
	c.sound("at the end")
	r.audit()
}

func (r *replicas) allWorked(within time.Duration) {
	r.t.Helper()
	eventually(r.t, within, "each account is worked on", func() bool {
		n := 0
		for _, has := range r.owners() {
			n += has
		}
		return n == len(r.c.accounts)
	})
}

// draw draws a replica that has accounts, and another one that has some too, if any does.
func (r *replicas) draw(dice *rand.Rand) (i int, other *replica) {
	r.t.Helper()
	owners := r.owners()
	order := dice.Perm(len(r.all))
	slices.SortStableFunc(order, func(a, b int) int {
		return -cmp.Compare(min(owners[r.all[a].admin], 1), min(owners[r.all[b].admin], 1))
	})
	return order[0], r.all[order[1]]
}

func (r *replicas) begin() *replica {
	r.t.Helper()
	one := &replica{name: fmt.Sprintf("replica-%d", len(r.book.admins)), wire: openWire(r.t, r.env["PUBSYNC_STORE_URL"])}
	folder := filepath.Join(r.dir, one.name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		r.t.Fatal(err)
	}
	for _, a := range r.c.accounts {
		writeAccount(r.t, folder, a.name, a.by(one.name))
	}
	admin := freePort(r.t)
	r.set("ADMIN_LISTEN", admin)
	one.worker = r.startAs(exec.Command(binary, "run"), "STORE_URL", one.wire.through(), "ACCOUNTS_DIR", folder)
	r.book.admins[one.name] = admin
	eventually(r.t, 15*time.Second, one.name+" is ready", one.ready)
	return one
}

func (r *replicas) replace(i int) {
	r.t.Helper()
	one := r.begin()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all[i] = one
}

func (r *replicas) hang(i int) {
	r.t.Helper()
	one := r.all[i]
	f := freeze{replica: one.name, from: time.Now()}
	one.signal(syscall.SIGSTOP)
	time.Sleep(longerThanALease)
	f.to = time.Now()
	one.signal(syscall.SIGCONT)
	r.book.freezes = append(r.book.freezes, f)
}

// crash kills the database, and starts it again.
func (r *replicas) crash(int) {
	r.t.Helper()
	if err := r.server.Stop("immediate"); err != nil {
		r.t.Fatal(err)
	}
	time.Sleep(time.Second)
	if err := r.server.Restart(); err != nil {
		r.t.Fatal(err)
	}
}

// trade changes the supply of an account until ctx ends, and tells each change to some replica. What
// no replica accepts is not told again: the next sweep finds it.
func (r *replicas) trade(ctx context.Context, a *account, dice *rand.Rand) {
	for ctx.Err() == nil {
		r.mu.Lock()
		one := r.all[dice.IntN(len(r.all))]
		r.mu.Unlock()
		a.tell(one.hooks+"/"+a.name+"/webhooks", a.move(dice))
		select {
		case <-time.After(time.Duration(dice.IntN(400)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

// rest waits until what webhooks told is done without a sweep, and then sweeps: that finds each
// change without an accepted webhook.
func (r *replicas) rest() {
	r.t.Helper()
	r.allWorked(10 * time.Second)
	r.c.lawful(slack*10*time.Second, (*account).asTold)
	for _, one := range r.all {
		var list struct {
			Accounts []struct{ Name, State string }
		}
		one.get("/api/v1/accounts", &list)
		for _, a := range list.Accounts {
			if a.State == "working" {
				one.post("/accounts/"+a.Name+"/api/v1/sweep", `{}`)
			}
		}
	}
}

// audit ends all replicas, and holds each call of a shop to the history of the leases.
func (r *replicas) audit() {
	r.t.Helper()
	for _, one := range r.all {
		one.stop()
	}
	if err := json.Unmarshal([]byte(r.server.Ask(r.t, "pubsync", readLeases)), &r.book.leases); err != nil {
		r.t.Fatal(err)
	}
	for _, a := range r.c.accounts {
		r.book.calls[a.name] = a.ledger.calls
	}
	faults := r.book.check()
	for _, fault := range faults {
		r.t.Errorf("a call without the lease: %s", fault)
	}
	// Every replica has ended: a call of the first one now is one fault more, else the ledger is blind.
	r.book.calls["account-0"] = append(r.book.calls["account-0"], shopCall{at: time.Now(), replica: "replica-0"})
	if found := r.book.check(); len(found) != len(faults)+1 {
		r.t.Errorf("a call after the end of all leases: %d faults, want %d", len(found), len(faults)+1)
	}
}
