package connector

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// maxMessage bounds what is kept, logged and shown of an adapter's error or of a panic, in characters: one may quote a whole page of the shop's, the other
// hold all that was worked on.
const maxMessage = 400

// panicked is called with what was recovered. It logs and counts the panic, and returns what is to be said of it where it is recorded.
func (c *Connector) panicked(p any, facts ...any) string {
	message := "internal error: " + c.short(fmt.Sprint(p))
	c.log.Error("panic", append(facts, "panic", message, "stack", string(debug.Stack()))...)
	c.metrics.panics.Inc()
	c.lastError.set(errors.New(message))
	return message
}

// guarded makes a call of the adapter, whose author is not ours: a panic is a transient error like any other, and none is longer than maxMessage.
func (c *Connector) guarded(call func() error, facts ...any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = shopadapter.Retry("%s", c.panicked(p, facts...))
		}
	}()
	err = call()
	if e := shopadapter.Explain(err); e != nil && len(e.Error()) > maxMessage {
		bounded := *e
		bounded.Message, bounded.Err = c.short(e.Error()), err
		return &bounded
	}
	return err
}

// short is a text of any length on one line of maxMessage characters at most, without the secrets that are known here.
func (c *Connector) short(text string) string {
	const most = 64 << 10 // bytes that are looked at for what to show
	if len(text) > most {
		text = text[:most]
	}
	return quote.Line(text, maxMessage, c.redact)
}
