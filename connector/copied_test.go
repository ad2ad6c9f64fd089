package connector

import (
	"bytes"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/takeover"
)

// putBack puts a copy of the store, made before, in its place.
func (b *bench) putBack(saved []byte) {
	b.t.Helper()
	if err := b.store.Close(); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(b.path, saved, 0o600); err != nil {
		b.t.Fatal(err)
	}
	b.open()
	if err := b.store.SetMeta(b.t.Context(), takeover.MetaCopied, "2026-11-01T08:00:00Z"); err != nil {
		b.t.Fatal(err)
	}
}

// entitle has the supplier give a product a title.
func (b *bench) entitle(id, title string) string {
	b.t.Helper()
	if err := b.box.Update(id, func(l *sandbox.Listing) {
		text := l.Texts["en"]
		text.Title = title
		l.Texts["en"] = text
	}); err != nil {
		b.t.Fatal(err)
	}
	return title
}

// A store that was put back from a backup knows nothing of what was done since, and the shop comes
// to show the import list all the same: nothing is doubled, what was made since is ours, and what
// looks as it was written last is written, since something else may have been written after.
func TestPutBackFromABackup(t *testing.T) {
	for _, lists := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, sandbox.Options{RestoreRate: 2000})
			b.lists = lists
			ids := b.box.AddSound(14)
			fickle, relisted := ids[0], ids[1]
			first := b.entitle(fickle, "A title")
			b.once(false)
			var saved bytes.Buffer
			if err := b.store.Backup(t.Context(), &saved); err != nil {
				t.Fatal(err)
			}

			made := b.box.AddSound(2)
			b.entitle(fickle, "Another title")
			b.box.Remove(relisted)
			b.once(true)
			if p, onSale := b.shop.get(relisted); onSale {
				t.Fatalf("%+v is on sale", p)
			}
			b.box.Restore(relisted)
			b.entitle(fickle, first)
			creates := b.shop.count("create")

			b.putBack(saved.Bytes())
			s := b.once(false)
			if s.Held != 0 || s.Exit != desk.ExitOK {
				t.Errorf("lists %t: %+v", lists, s)
			}
			if n := b.shop.count("create"); n != creates {
				t.Errorf("lists %t: %d more were created", lists, n-creates)
			}
			if p, _ := b.shop.get(fickle); p.Title != first {
				t.Errorf("lists %t: titled %q, want %q", lists, p.Title, first)
			}
			for _, id := range append(made, ids...) {
				if _, onSale := b.shop.get(id); !onSale {
					t.Errorf("lists %t: %s is not on sale", lists, id)
				}
			}
			if copied, err := b.store.Meta(b.t.Context(), takeover.MetaCopied); copied != "" || err != nil {
				t.Errorf("still a copy: %q, %v", copied, err)
			}
			time.Sleep(time.Second)
			writes := len(b.shop.since(0))
			if b.once(false); len(b.shop.since(0)) != writes {
				t.Errorf("lists %t: the run after it wrote again", lists)
			}
		})
	}
}

// A report that a copy owes may be no longer true.
func TestReportsThatABackupOwes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{RestoreRate: 2000})
		id := b.box.AddSound(1)[0]
		b.box.Inject(
			sandbox.Fault{
				Kind:        sandbox.ServerError,
				Status:      503,
				Probability: 1,
				On:          []sandbox.Kind{sandbox.KindReport},
			},
		)
		b.once(false)
		if e := b.entry(id); e.Owed == nil {
			t.Fatal("nothing is owed")
		}
		var saved bytes.Buffer
		if err := b.store.Backup(t.Context(), &saved); err != nil {
			t.Fatal(err)
		}
		b.box.Heal()
		b.once(false)
		b.box.Remove(id)
		b.once(true)
		before := len(b.box.Reports())
		b.putBack(saved.Bytes())
		b.once(false)
		if reports := b.box.Reports()[before:]; len(reports) != 0 {
			t.Errorf("reported %+v of what is not on sale", reports)
		}
	})
}
