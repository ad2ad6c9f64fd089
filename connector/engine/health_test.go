package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A disk is a store whose writes fail while it is full.
type disk struct {
	store.KV
	full error
}

func (d *disk) Update(context.Context, []store.Key, func(*store.Tx) error) error { return d.full }

func diskHealth(d *disk) (*Health, *bytes.Buffer) {
	var said bytes.Buffer
	redact := strings.NewReplacer("t0ken", "[secret]").Replace
	return newHealth(slog.New(slog.NewTextHandler(&said, nil)), redact, store.Store{KV: d}), &said
}

func TestTroubleWithTheStoreIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{full: errors.New("no space left on device")}
		h, said := diskHealth(d)
		back := 0
		h.onStoreBack = func(context.Context) { back++ }
		for range 3 {
			h.Stored(d.full)
			if h.storeWorks(t.Context()) {
				t.Fatal("a full disk: got a store that works, want not")
			}
			time.Sleep(time.Second)
		}
		if last := h.lastError().Message; last != "no space left on device" {
			t.Errorf("got the last error %q, want no space left on device", last)
		}
		since, err := h.storeTrouble()
		if since.IsZero() || !errors.Is(err, d.full) {
			t.Errorf("got trouble since %v: %v, want the full disk", since, err)
		}
		d.full = nil
		for range 2 {
			if !h.storeWorks(t.Context()) {
				t.Error("a disk with room: got a store that does not work, want it to")
			}
		}
		if _, err := h.storeTrouble(); back != 1 || err != nil {
			t.Errorf("told %d times that the store is back, want once; %v", back, err)
		}
		for _, message := range []string{"store cannot be written", "store can be written again"} {
			if n := strings.Count(said.String(), message); n != 1 {
				t.Errorf("said %d times, want once: %s", n, message)
			}
		}
		h.Stored(errors.New("one key cannot be written"))
		if h.storeWorks(t.Context()) {
			t.Error("trouble that comes again at once: got a store that works, want it tried a second later")
		}
	})
}

func TestADamagedStoreEndsTheWorker(t *testing.T) {
	h, _ := diskHealth(&disk{})
	h.Stored(errors.New("a disk that is full for now"))
	select {
	case err := <-h.fatal:
		t.Fatalf("got ended by %v, want it to go on", err)
	default:
	}
	h.Stored(fmt.Errorf("read: %w", store.ErrCorrupt))
	h.end(errors.New("a second one"))
	select {
	case err := <-h.fatal:
		if !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("got ended by %v, want ErrCorrupt", err)
		}
	default:
		t.Error("a damaged store: got a worker that goes on, want it ended")
	}
}

func TestGuard(t *testing.T) {
	for _, tt := range []struct {
		name string
		call func() error
		kind shopadapter.Kind
		want string
	}{
		{"rejection", func() error { return shopadapter.Reject("not sold here") }, shopadapter.Rejected, "not sold here"},
		{"a secret", func() error { return shopadapter.Block("t0ken is bad") }, shopadapter.Blocked, "[secret] is bad"},
		{
			"a panic with a secret", func() error { panic("Bearer t0ken") }, shopadapter.Transient,
			"internal error: Bearer [secret]",
		},
		{
			"a page", func() error { return shopadapter.Reject("%s", strings.Repeat("x", 5000)) }, shopadapter.Rejected,
			strings.Repeat("x", 300),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h, _ := diskHealth(&disk{})
			panics := 0
			h.onPanic = func() { panics++ }
			e := shopadapter.Explain(h.guard(tt.call))
			if e == nil || e.Kind != tt.kind || !strings.HasPrefix(e.Error(), tt.want) ||
				len(e.Error()) > 2*maxMessage {
				t.Errorf("got %v, want a %s error of bounded length that begins with %q", e, tt.kind, tt.want)
			}
			if want := strings.HasPrefix(tt.want, "internal"); (panics == 1) != want {
				t.Errorf("got %d panics counted, want a panic %t", panics, want)
			}
		})
	}
	h, _ := diskHealth(&disk{})
	if err := h.guard(func() error { return nil }); err != nil {
		t.Error(err)
	}
}

// A store that accepts the try and refuses the next write is tried at growing intervals, and its trouble is one.
func TestTroubleThatComesAgainIsTriedLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, _ := diskHealth(&disk{})
		back := 0
		h.onStoreBack = func(context.Context) { back++ }
		begun := time.Now()
		for time.Since(begun) < 10*time.Minute {
			h.Stored(errors.New("one key cannot be written"))
			for !h.storeWorks(t.Context()) {
				time.Sleep(100 * time.Millisecond)
			}
		}
		if back < 5 || back > 25 {
			t.Errorf("got %d tries in ten minutes, want 5 to 25", back)
		}
		if since, _ := h.storeTrouble(); !since.Equal(begun) {
			t.Errorf("got trouble since %v, want since the first failure at %v", since, begun)
		}
	})
}
