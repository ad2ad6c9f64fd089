package shopify_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter/internal/collector"
	"github.com/pubsync/pubsync/shopadapter/shopify/internal/shopifyserver"
)

func TestMain(m *testing.M) {
	collector.Seldom()
	goleak.VerifyTestMain(judged{m})
}

// asked are the requests that fakes were sent by all tests, each once. They are kept where a judge
// is installed.
var asked = struct {
	sync.Mutex
	seen map[[sha256.Size]byte]bool
	list []shopifyserver.Request
}{seen: map[[sha256.Size]byte]bool{}}

// recordRequest keeps a request for the judge.
func recordRequest(body []byte) {
	if os.Getenv(shopifyserver.EnvDir) == "" {
		return
	}
	sum := sha256.Sum256(body)
	asked.Lock()
	defer asked.Unlock()
	var r shopifyserver.Request
	if !asked.seen[sum] && json.Unmarshal(body, &r) == nil {
		asked.seen[sum] = true
		asked.list = append(asked.list, r)
	}
}

// judged runs the tests, and then has graphql-js judge over Shopify's whole schema what they sent.
// A fake that takes a request which Shopify would not execute fails here.
type judged struct{ tests *testing.M }

func (j judged) Run() int {
	code := j.tests.Run()
	dir := os.Getenv(shopifyserver.EnvDir)
	if dir == "" || len(asked.list) == 0 {
		return code
	}
	if err := judge(dir); err != nil {
		fmt.Println("FAIL: the judge of requests:", err)
		return 1
	}
	return code
}

func judge(dir string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	server, err := shopifyserver.Start(ctx, dir, "e2e/fixture")
	if err != nil {
		return err
	}
	defer server.Stop()
	const batch = 200
	wrong, total := 0, len(asked.list)
	for rest := asked.list; len(rest) > 0; rest = rest[min(batch, len(rest)):] {
		faults, err := server.Judge(ctx, rest[:min(batch, len(rest))])
		if err != nil {
			return err
		}
		for i, fault := range faults {
			if fault != "" {
				wrong++
				fmt.Printf(
					"invalid request %s: %s\n%s\n%s\n",
					rest[i].OperationName,
					fault,
					rest[i].Query,
					rest[i].Variables,
				)
			}
		}
	}
	fmt.Printf("judged %d distinct requests of these tests\n", total)
	if wrong > 0 {
		return fmt.Errorf("%d of %d requests are not valid", wrong, total)
	}
	return nil
}
