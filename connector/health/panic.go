package health

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// MaxMessage bounds what is kept, logged and shown of an adapter's error or of a panic, in
// characters: the one may quote a whole page of the shop, the other hold all that was worked on.
const MaxMessage = 400

// Recovered logs and counts a panic, and returns what is to be recorded of it.
func (h *Health) Recovered(p any, facts ...any) string {
	message := "internal error: " + h.Line(fmt.Sprint(p))
	h.log.Error("panic", append(facts, "panic", message, "stack", string(debug.Stack()))...)
	if h.panics != nil {
		h.panics()
	}
	h.Failed(errors.New(message))
	return message
}

// Guard makes a call of an adapter. A panic is a transient error like any other, and no error is
// longer than MaxMessage or shows a secret.
func (h *Health) Guard(call func() error, facts ...any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = shopadapter.Retry("%s", h.Recovered(p, facts...))
		}
	}()
	err = call()
	if e := shopadapter.Explain(err); e != nil && (len(e.Error()) > MaxMessage || h.redact(e.Error()) != e.Error()) {
		bounded := *e
		bounded.Message, bounded.Err = h.Line(e.Error()), err
		return &bounded
	}
	return err
}

// Line is a text of any length on one line of MaxMessage characters at most, without the secrets
// that are known here.
func (h *Health) Line(text string) string {
	const most = 64 << 10 // bytes that are looked at for what to show
	if len(text) > most {
		text = text[:most]
	}
	return quote.Line(text, MaxMessage, h.redact)
}

func (h *Health) Redact(text string) string { return h.redact(text) }
