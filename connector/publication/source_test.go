package publication

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A report of ours moves the publication's updatedAt past changes that have not been read.
// ContentAt tells which of them the content holds.
func TestAReportHidesNoChangeOfAVariant(t *testing.T) {
	read := time.Date(2026, 11, 2, 8, 0, 10, 0, time.UTC)
	r := store.Record{
		ID: "p", Product: "d", State: store.StateLive, ReadAt: store.At(read), ReportedAt: store.At(read.Add(time.Second)),
		UpdatedAt: "2026-11-02T08:00:11.500Z", ContentAt: "2026-11-02T08:00:09.500Z",
	}
	for _, tt := range []struct {
		changed string
		looked  bool
	}{
		{"2026-11-02T08:00:09.400Z", false},
		{"2026-11-02T08:00:09.500Z", false},
		{"2026-11-02T08:00:10.200Z", true},
		{"2026-11-02T08:00:12Z", true},
	} {
		s := &store.Settlement{Record: r}
		v := marketplace.ProductVariant{Product: "d", UpdatedAt: tt.changed}
		if looked := VariantChanged(s, v, read.Add(time.Minute)); looked != tt.looked {
			t.Errorf("changed at %s: got a look %t, want %t", tt.changed, looked, tt.looked)
		}
	}
}
