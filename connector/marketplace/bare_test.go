package marketplace

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestARefusedReportIsLookedAtAgain refuses the report of a batch without a figure: the wait is
// long enough for the supplier to change the publication.
func TestARefusedReportIsLookedAtAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &fakeWire{answer: func(n int, s sent) (int, string) {
			switch {
			case n == 2:
				return 429, "slow down"
			case s.OperationName == "Look":
				return 200, data(`{"a0":{"updatedAt":"u"}}`)
			default:
				return 200, data(`{"a0":{"publication":{"status":"success","updatedAt":"v"},"userErrors":[]}}`)
			}
		}}
		c := known(t, w)
		reports, looks, start := []Report{{ID: "1", Status: "success"}}, 0, time.Now()
		results, err := c.LookAndReport(t.Context(), Urgent, reports, func(Report, *Entry) bool {
			looks++
			return true
		})
		switch {
		case err != nil:
			t.Fatalf("%+v, %v after %d looks; err: got %v, want nil", results, err, looks, err)
		case len(results) != 1:
			t.Fatalf("%+v, %v after %d looks; len(results): got %v, want %v", results, err, looks, len(results), 1)
		case results[0].Err != nil:
			t.Fatalf("%+v, %v after %d looks; results[0].Err: got %v, want nil", results, err, looks, results[0].Err)
		case looks != 2:
			t.Fatalf("%+v, %v after %d looks; looks: got %v, want %v", results, err, looks, looks, 2)
		}
		switch got := w.operations(); {
		case len(got) != 4:
			t.Errorf("requests %v; len(got): got %v, want %v", got, len(got), 4)
		case got[0] != "Look":
			t.Errorf("requests %v; got[0]: got %q, want %q", got, got[0], "Look")
		case got[1] != "Report":
			t.Errorf("requests %v; got[1]: got %q, want %q", got, got[1], "Report")
		case got[2] != "Look":
			t.Errorf("requests %v; got[2]: got %q, want %q", got, got[2], "Look")
		case got[3] != "Report":
			t.Errorf("requests %v; got[3]: got %q, want %q", got, got[3], "Report")
		}
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf(
				"took %v: more than the points of a report take to be restored; took: got %v, want at most %v", took, took,
				2*time.Second,
			)
		}
	})
}

// TestAProbeIsRefusedWithoutFigures is answered in the end, and no caller hears of the refusals.
func TestAProbeIsRefusedWithoutFigures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &fakeWire{answer: func(n int, _ sent) (int, string) {
			if n < 3 {
				return 429, "slow down"
			}
			return 200, `{"data":{"__schema":{"queryType":{"name":"Query"},"types":[]}},` + throttled(1, 1, 1000) + `}`
		}})
		if _, err := c.Probe(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
