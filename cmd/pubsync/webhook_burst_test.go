// Ten thousand webhooks while the shop is down.

package main_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const (
	burstListed      = 400 // publications on the list that the webhooks name
	burstConnections = 96  // over which they come
	burstHooks       = 10_000
	burstUnknown     = 500 // publications named that are on no list
	// ackLimit is how long the marketplace waits for an acknowledgement.
	ackLimit = 5 * time.Second
	// burstMemory is the most that may ever be resident, in kibibytes: twice what the worker may
	// have that knows twenty thousand publications.
	burstMemory = 128 << 10
)

// TestTenThousandWebhooksWhileTheShopIsDown sends a burst to a worker whose shop answers nobody.
// Each is acknowledged in time, the worker stays small and tells how things stand meanwhile, and when the shop
// is back each publication is reported once.
func TestTenThousandWebhooksWhileTheShopIsDown(t *testing.T) {
	long(t)
	s := open(t, sandbox.Options{})
	known := s.lamps(20)
	w := s.work()
	w.settles(len(known))
	s.shop.rules(always(shoptest.Reply{Cut: shoptest.Before}))
	ids := known
	for i := range burstListed - len(known) {
		ids = append(ids, s.add(bulb(i)))
	}
	slowest, told := make(chan time.Duration, 1), time.Duration(0)
	var sending sync.WaitGroup
	sending.Go(func() { slowest <- w.burst(ids) })
	t.Cleanup(sending.Wait) // before the worker is ended
	var st status
	for ended := false; !ended; {
		start := time.Now()
		w.get("/api/v1/status", &st)
		told = max(told, time.Since(start))
		select {
		case took := <-slowest:
			ended = true
			t.Logf("slowest acknowledgement %s, slowest status %s, at most %d KiB resident", took, told, w.peak())
			if took > slack*ackLimit || told > slack*ackLimit {
				t.Errorf("the slowest acknowledgement took %s, the slowest status %s", took, told)
			}
		case <-time.After(20 * time.Millisecond):
		}
	}
	if w.get("/api/v1/status", &st); st.Due < len(ids)/2 {
		t.Errorf("%d are due after the burst: the shop is not down, and nothing is shown", st.Due)
	}
	s.shop.rules(nil)
	eventually(t, 2*time.Minute, "what the burst named is on sale and reported", func() bool {
		w.get("/api/v1/status", &st)
		return st.Publications["live"] == len(ids) && st.Due == 0 && st.Outbox == 0
	})
	for _, id := range ids {
		if got := s.reported(id); len(got) != 1 {
			t.Errorf("%s was reported %v, want once", id, got)
		}
	}
	if peak := w.peak(); peak > burstMemory {
		t.Errorf("%d KiB were resident", peak)
	}
	w.stop()
}

// burst sends the webhooks over many connections, in any order, and returns how long the slowest
// took. Each publication is named by some of them, and some name what is on no list.
func (w *worker) burst(ids []string) (slowest time.Duration) {
	w.t.Helper()
	bodies := make([]string, burstHooks)
	for i := range bodies {
		switch {
		case i < burstUnknown:
			bodies[i] = created(fmt.Sprint("nobody-", i))
		default:
			bodies[i] = created(ids[i%len(ids)])
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(bodies), func(i, j int) { bodies[i], bodies[j] = bodies[j], bodies[i] })
	transport := &http.Transport{MaxIdleConnsPerHost: burstConnections, MaxConnsPerHost: burstConnections}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: slack * ackLimit}
	var mu sync.Mutex
	var sending sync.WaitGroup
	for first := range burstConnections {
		sending.Go(func() {
			for i := first; i < len(bodies); i += burstConnections {
				took, err := acknowledged(client, w.hooks+"/webhooks", bodies[i])
				if err != nil {
					w.t.Error(err)
					return
				}
				mu.Lock()
				slowest = max(slowest, took)
				mu.Unlock()
			}
		})
	}
	sending.Wait()
	return slowest
}

// acknowledged sends one signed webhook and returns how long it took until it was acknowledged.
func acknowledged(client *http.Client, address, body string) (time.Duration, error) {
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Service-Signature", signature(body))
	req.Header.Set("X-Service-Event", "PUBLICATION_CREATED")
	start := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close() //nolint:errcheck // read to its end
	_, err = io.Copy(io.Discard, res.Body)
	if err == nil && res.StatusCode != http.StatusNoContent {
		err = fmt.Errorf("webhook answered with %s", res.Status)
	}
	return time.Since(start), err
}

// peak is the most that was ever resident of the worker, in kibibytes; 0 where that is not known.
func (w *worker) peak() int {
	w.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(data, []byte("VmHWM:"))
	n, err := strconv.Atoi(string(bytes.Fields(after)[0]))
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// bulb is the smallest listing that can be sold.
func bulb(n int) *sandbox.Listing {
	return &sandbox.Listing{
		Texts:    map[string]sandbox.Text{"en": {Title: fmt.Sprintf("Bulb %d", n)}},
		Variants: []sandbox.Variant{{Cost: "1.00", MSRP: "2.00", SKU: fmt.Sprintf("B%d", n), Quantity: 5}},
	}
}
