package shopadapter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

type requestLimit struct{}

// EachRequest bounds every request that an adapter makes with ctx by a time of its own, from its
// beginning to the end of its answer. A check makes several: a shop that takes its time over each is
// slow, and one that does not answer a request is down.
func EachRequest(ctx context.Context, limit time.Duration) context.Context {
	return context.WithValue(ctx, requestLimit{}, limit)
}

// A timed transport keeps the limit of EachRequest.
type timed struct{ next http.RoundTripper }

func (t timed) RoundTrip(r *http.Request) (*http.Response, error) {
	limit, ok := r.Context().Value(requestLimit{}).(time.Duration)
	if !ok {
		return t.next.RoundTrip(r)
	}
	late := &lateError{limit}
	ctx, cancel := context.WithTimeoutCause(r.Context(), limit, late)
	resp, err := t.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		err = late.orElse(ctx, err)
		cancel()
		return nil, err
	}
	resp.Body = &timedBody{resp.Body, ctx, cancel, late}
	return resp, nil
}

// A timedBody is an answer that is read within its request's limit.
type timedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
	late   *lateError
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.late.orElse(b.ctx, err)
	}
	return n, err
}

func (b *timedBody) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}

// A lateError says that a request had no whole answer in time.
type lateError struct{ limit time.Duration }

func (e *lateError) Error() string { return fmt.Sprintf("no whole answer within %s", e.limit) }

func (e *lateError) Timeout() bool { return true }

// Is makes it a deadline that was exceeded.
func (e *lateError) Is(target error) bool { return target == context.DeadlineExceeded }

// orElse is e where the limit has passed, and err otherwise.
func (e *lateError) orElse(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), e) {
		return e
	}
	return err
}
