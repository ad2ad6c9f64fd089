package kit_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

func TestFit(t *testing.T) {
	p := shopadapter.Product{Variants: []shopadapter.Variant{
		{ID: "a", Title: "red", SKU: "1"}, {ID: "b", Title: "dear", SKU: "2"}, {ID: "c", Title: "red", SKU: "1"},
	}}
	refused := kit.Refused{}
	list := kit.Fit(p, refused, func(v shopadapter.Variant) ([]string, string) {
		if v.Title == "dear" {
			return nil, "too dear"
		}
		return []string{v.SKU}, ""
	})
	if len(list) != 1 || list[0].ID != "a" || list[0].Place != 0 {
		t.Errorf("the planned variants are %+v, want a alone", list)
	}
	if d := diff.Diff(kit.Refused{"b": "too dear", "c": "it has the same options as the variant red"}, refused); d != "" {
		t.Error(d)
	}
	if err := refused.None(p); !strings.Contains(err.Error(), "too dear") {
		t.Errorf("none can be sold: %v", err)
	}
	if err := (kit.Refused{}).None(shopadapter.Product{}); err == nil {
		t.Error("a product without a variant is no error")
	}
	choices := kit.Choices([]string{"n"}, append(list, list...))
	if d := diff.Diff([]kit.Axis{{Name: "n", Values: []string{"1"}}}, choices); d != "" {
		t.Error(d)
	}
}

type kept struct{ id, key string }

// The first of ours that fits is the variant's. A second one, one that is wanted no longer and an
// unfit one are surplus, and the merchant's are not touched.
func TestChosen(t *testing.T) {
	v := shopadapter.Variant{Options: []shopadapter.Option{
		{Name: "Size", Value: " L "}, {Name: "Color", Value: "Red"}, {Name: "Cut", Value: " "},
	}}
	for names, want := range map[string]string{
		"Color Size": "Red,L", "Size Cut": "it has no value for the option Cut", "Fit": "it has no value for the option Fit",
	} {
		values, why := kit.Chosen(v, strings.Fields(names))
		if got := strings.Join(values, ",") + why; got != want {
			t.Errorf("%s: %q, not %q", names, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	list := []kit.Planned{{Variant: shopadapter.Variant{ID: "A"}}, {Variant: shopadapter.Variant{ID: "b"}}}
	in := []kept{{"1", kit.Key("A")}, {"2", "A"}, {"3", "gone"}, {"4", ""}, {"unfit", "b"}, {"5", "b"}}
	wanted, surplus := kit.Match(list, in, func(h *kept) string { return h.key },
		func(h *kept, _ kit.Planned) bool { return h.id != "unfit" })
	if wanted[0].Held.id != "1" || wanted[1].Held.id != "5" {
		t.Errorf("got %+v and %+v, want 1 and 5", wanted[0].Held, wanted[1].Held)
	}
	var ids []string
	for _, s := range surplus {
		ids = append(ids, s.id)
	}
	if !slices.Equal(ids, []string{"2", "3", "unfit"}) {
		t.Errorf("surplus are %v", ids)
	}
}

func TestPick(t *testing.T) {
	for _, tt := range []struct {
		name  string
		found []kit.Candidate
		own   int
		stray string
	}{
		{"none", nil, -1, ""},
		{"the complete one", []kit.Candidate{{ID: "1", Untouched: true}, {ID: "2", Complete: true}}, 1, "1"},
		{"the known one", []kit.Candidate{{ID: "1", Untouched: true}, {ID: "known", Untouched: true}}, 1, "1"},
		{"the first", []kit.Candidate{{ID: "1"}, {ID: "2", Untouched: true}}, 0, "2"},
		{"one that was worked on stays", []kit.Candidate{{ID: "1", Complete: true}, {ID: "2"}}, 0, ""},
		{"two complete ones stay", []kit.Candidate{{ID: "1", Complete: true}, {
			ID: "2", Complete: true, Untouched: true,
		}}, 0, ""},
	} {
		own, strays := kit.Pick(shopadapter.Ref{Listing: "known"}, tt.found)
		if own != tt.own || strings.Join(strays, ",") != tt.stray {
			t.Errorf("%s: got %d and %v, want %d and %q", tt.name, own, strays, tt.own, tt.stray)
		}
	}
}

// A list from which something is deleted while it is read loses nothing, names nothing twice, and
// is read in smaller pages where its answers are too large. A shop that does not turn pages is an
// error, and not a list without end.
func TestPages(t *testing.T) {
	all := make([]int, 250)
	for i := range all {
		all[i] = i
	}
	reads := 0
	read := func(skip, size int) ([]int, int, error) {
		if reads++; size > 50 {
			return nil, 0, &wire.LimitError{}
		}
		if reads == 4 {
			all = all[5:]
		}
		page := all[min(skip, len(all)):min(skip+size, len(all))]
		return page, len(page), nil
	}
	var got []int
	for one, err := range kit.Pages(100, func(i int) int { return i }, read) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, one)
	}
	if len(got) != 250 || !slices.IsSortedFunc(got, cmp.Compare) {
		t.Errorf("%d were named, want each of 250 once", len(got))
	}
	reads = 0
	for _, err := range kit.Pages(10, func(i int) int { return i }, func(int, int) ([]int, int, error) {
		reads++
		return all[:10], 10, nil
	}) {
		if err != nil && reads > 3 {
			t.Errorf("it was asked %d times for one page", reads)
		}
	}
	if reads > 3 {
		t.Errorf("%d reads of a list that shows one page for ever", reads)
	}
}

func TestRuns(t *testing.T) {
	var runs []string
	err := kit.Runs([]string{"a", "b", "c", "d", "e"}, 4, func(run []string) error {
		if len(run) > 2 {
			return &wire.LimitError{}
		}
		runs = append(runs, strings.Join(run, ""))
		return nil
	})
	if err != nil || strings.Join(runs, " ") != "ab cd e" {
		t.Errorf("%v, %v", runs, err)
	}
}

// A picture costs itself: one that cannot be had comes later, one that is refused does not, and a
// shop that does not end with one has half a minute for all.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := kit.Library{
			Try: func(context.Context, []string) map[string]error {
				return map[string]error{"away": errors.New("no answer"), "unfit": kit.ErrUnfit}
			},
			Have: func(context.Context, []string) (map[string]string, error) {
				return map[string]string{"known": "7"}, nil
			},
			Upload: func(ctx context.Context, address string) (string, error) {
				switch address {
				case "bad":
					return "", shopadapter.Reject("not a picture")
				case "slow":
					<-ctx.Done()
					return "", ctx.Err()
				}
				return "new", nil
			},
			Clean: strings.Clone,
		}
		begun := time.Now()
		ids, missing, err := l.Load(t.Context(), []string{"known", "away", "unfit", "good", "good2", "bad", "slow", "late"})
		if err != nil || strings.Join(ids, " ") != "7 new" || time.Since(begun) > kit.PicturesTime {
			t.Errorf("%v, %v after %s", ids, err, time.Since(begun))
		}
		var got []string
		for _, m := range missing {
			got = append(got, m.URL+map[bool]string{true: " later", false: " never"}[m.Later])
		}
		want := []string{"away later", "unfit never", "bad never", "slow later", "late later"}
		if d := diff.Diff(want, got); d != "" {
			t.Error(d)
		}
		l.Upload = func(context.Context, string) (string, error) { return "", shopadapter.Retry("the shop is down") }
		if _, _, err := l.Load(t.Context(), []string{"good"}); err == nil {
			t.Error("a shop that is down is no error")
		}
	})
}

// TestAlone: of four changes the second is rejected for good, the third until it is lighter.
func TestAlone(t *testing.T) {
	var sent []string
	send := func(some []string) error {
		all := strings.Join(some, " ")
		sent = append(sent, all)
		if strings.Contains(all, "bad") || strings.Contains(all, "heavy") && len(sent) < 5 {
			return shopadapter.Reject("no %s", all)
		}
		return nil
	}
	refused := map[int]string{}
	err := kit.Alone([]string{"a", "bad", "heavy", "b"}, send, func(one string, _ error) bool { return one == "heavy" },
		func(i int, why error) { refused[i] = why.Error() })
	want := []string{"a bad heavy b", "a", "bad", "heavy", "heavy", "b"}
	if err != nil || !slices.Equal(sent, want) || len(refused) != 1 || refused[1] != "no bad" {
		t.Errorf("sent %q, refused %v, %v", sent, refused, err)
	}
	if err := kit.Alone([]string{"a"}, func([]string) error { return errors.New("away") }, nil, nil); err == nil {
		t.Error("what is no refusal is no error")
	}
}
