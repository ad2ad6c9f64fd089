package bolt

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// mapped is what of the process's memory belongs to files, in kibibytes.
func mapped(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	must(t, err)
	kib := 0
	for line := range strings.Lines(string(status)) {
		if key, value, _ := strings.Cut(line, ":"); key == "RssFile" || key == "RssShmem" {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			must(t, err)
			kib += n
		}
	}
	return kib
}

func TestAStoreThatWasReadDoesNotStayInMemory(t *testing.T) {
	s := newStore(t)
	s.db.NoSync = true
	catalogue{rand: rand.New(rand.NewPCG(1, 2))}.fill(t, s, 4000)
	for _, err := range store.Records(t.Context(), s, store.Query{}) {
		must(t, err)
	}
	before := mapped(t)
	must(t, s.EndListing(t.Context(), store.End{Name: "full"}))
	if after := mapped(t); before-after < 1<<10 {
		t.Errorf(
			"%d KiB of files were in memory before the end of a listing, %d after: want at least a MiB less",
			before,
			after,
		)
	}
	for _, err := range store.Records(t.Context(), s, store.Query{}) {
		must(t, err)
	}
}
