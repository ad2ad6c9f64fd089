package form

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A memory keeps one fact.
type memory map[string]string

func (m memory) Meta(_ context.Context, key string) (string, error) { return m[key], nil }

func (m memory) SetMeta(_ context.Context, key, value string) error {
	m[key] = value
	return nil
}

// A language that was given up is asked for again by the next process: what a product is written in
// must not come from an old objection.
func TestALanguageIsNotRemembered(t *testing.T) {
	found := Assumed([]string{"nl"})
	found.Success, found.Failed, found.StatusType, found.UpdatedAtAsc = "SUCCESS", "FAILED", "an enum", false
	found.Edges, found.NoUserErrors = map[string]bool{"publication": true}, true
	now := time.Now()
	m := make(memory)
	if err := found.Keep("server", now, 1000, 50).Write(t.Context(), m); err != nil {
		t.Fatalf("write: got %v, want no error", err)
	}
	kept, ok := ReadKept(t.Context(), m, "server", now.Add(time.Hour))
	if !ok {
		t.Fatal("got nothing, want what was kept")
	}
	want := found
	want.Languages = []string{"en", "nl"}
	if diff := cmp.Diff(want.String(), kept.Forms(want.Languages).String()); diff != "" {
		t.Errorf("forms (-want +got):\n%s", diff)
	}
	if !want.Equal(kept.Forms(want.Languages)) {
		t.Error("got other documents of what was kept, want the same")
	}
}

// What cannot be trusted is not read.
func TestKeptFormsThatAreNotRead(t *testing.T) {
	now := time.Now()
	for name, row := range map[string]struct {
		kept   func(*keptForms)
		server string
		after  time.Duration
	}{
		"of another server":   {func(*keptForms) {}, "other", time.Hour},
		"too old":             {func(*keptForms) {}, "server", formsRemembered},
		"of the future":       {func(*keptForms) {}, "server", -time.Hour},
		"without an id type":  {func(k *keptForms) { k.IDType = "" }, "server", time.Hour},
		"a status of no name": {func(k *keptForms) { k.StatusType = "String!" }, "server", time.Hour},
		"an empty connection": {func(k *keptForms) { k.Edges = []string{""} }, "server", time.Hour},
	} {
		k := Assumed(nil).Keep("server", now, 1000, 50)
		row.kept(&k)
		m := make(memory)
		if err := k.Write(t.Context(), m); err != nil {
			t.Fatalf("%s: write: got %v, want no error", name, err)
		}
		if got, ok := ReadKept(t.Context(), m, row.server, now.Add(row.after)); ok {
			t.Errorf("%s: got %+v, want nothing", name, got)
		}
	}
}
