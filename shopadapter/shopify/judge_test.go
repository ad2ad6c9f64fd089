package shopify_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter/shopify"
)

// judgeDir is the environment variable that names the folder in which e2e/install.sh has installed
// the judge.
const judgeDir = "PUBSYNC_TEST_SHOPIFY"

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // the fake shop allocates much and holds little
	goleak.VerifyTestMain(judged{m})
}

// asked are the requests that fakes were sent by all tests, each once. They are kept where a judge
// is installed.
var asked = struct {
	sync.Mutex
	seen map[[sha256.Size]byte]bool
	list []json.RawMessage
}{seen: map[[sha256.Size]byte]bool{}}

// recordRequest keeps a request for the judge.
func recordRequest(body []byte) {
	if os.Getenv(judgeDir) == "" {
		return
	}
	sum := sha256.Sum256(body)
	asked.Lock()
	defer asked.Unlock()
	if !asked.seen[sum] {
		asked.seen[sum] = true
		asked.list = append(asked.list, body)
	}
}

// judged runs the tests, and then has graphql-js judge over Shopify's whole schema what they sent.
// A fake that takes a request which Shopify would not execute fails here.
type judged struct{ tests *testing.M }

func (j judged) Run() int {
	code := j.tests.Run()
	if os.Getenv(judgeDir) == "" || len(asked.list) == 0 {
		return code
	}
	faults, err := judge(asked.list)
	wrong := 0
	for i, fault := range faults {
		if fault != "" {
			wrong++
			fmt.Printf("invalid request: %s\n%s\n", fault, asked.list[i])
		}
	}
	fmt.Printf("judged %d distinct requests of these tests\n", len(faults))
	if wrong > 0 || err != nil {
		fmt.Printf("FAIL: the judge of requests: %d are not valid, %v\n", wrong, err)
		return 1
	}
	return code
}

// judge says what is wrong with each of some requests, "" where Shopify would execute it. The error
// also tells where the schema of the fake is not Shopify's.
func judge(requests []json.RawMessage) ([]string, error) {
	installed, err := os.ReadFile(filepath.Join(os.Getenv(judgeDir), "judge.mjs"))
	if err != nil {
		return nil, err
	}
	script, err := os.ReadFile("e2e/fixture/judge.mjs")
	if err != nil || string(script) != string(installed) {
		return nil, fmt.Errorf("%s is not of this repository: run e2e/install.sh again, %w", os.Getenv(judgeDir), err)
	}
	pruned, err := os.ReadFile(prunedFile)
	if err != nil {
		return nil, err
	}
	all, err := json.Marshal(map[string]any{"requests": requests, "scopes": shopify.Scopes(), "pruned": string(pruned)})
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "requests.json")
	if err := os.WriteFile(file, all, 0o600); err != nil {
		return nil, err
	}
	command := exec.Command("node", "judge.mjs", file)
	command.Dir, command.Stderr = os.Getenv(judgeDir), os.Stderr
	said, err := command.Output()
	var faults []string
	if err == nil {
		err = json.Unmarshal(said, &faults)
	}
	if err != nil || len(faults) != len(requests)+1 {
		return nil, fmt.Errorf("the judge said %d bytes, %w", len(said), err)
	}
	if schema := faults[len(requests)]; schema != "" {
		err = fmt.Errorf("%s is not Shopify's schema: %s", prunedFile, schema)
	}
	return faults[:len(requests)], err
}
