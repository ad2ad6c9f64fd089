package rest

import (
	"context"
	"errors"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// An API is a Client whose answers are all read into one type: each fills the members that its
// request is about. doing names the step in an error.
type API[A any] struct {
	*Client
	// what a refusal means in this shop, where the words do not suffice; nil: nothing else
	Judge func(*Refusal, error) error
}

// Get reads something.
func (a API[A]) Get(ctx context.Context, doing, path string, query map[string]string) (A, error) {
	return a.do(ctx, doing, http.MethodGet, path, query, nil)
}

// Post writes something.
func (a API[A]) Post(ctx context.Context, doing, path string, query map[string]string, in map[string]any) (A, error) {
	return a.do(ctx, doing, http.MethodPost, path, query, in)
}

// Delete deletes something.
func (a API[A]) Delete(ctx context.Context, doing, path string) error {
	_, err := a.do(ctx, doing, http.MethodDelete, path, nil, nil)
	return err
}

func (a API[A]) do(
	ctx context.Context,
	doing, method, path string,
	query map[string]string,
	in map[string]any,
) (got A, err error) {
	err = a.into(ctx, &got, doing, method, path, query, in)
	return got, err
}

func (a API[A]) into(
	ctx context.Context,
	got *A,
	doing, method, path string,
	query map[string]string,
	in map[string]any,
) error {
	err := a.Call(ctx, method, path, query, in, got)
	if refusal := (*Refusal)(nil); errors.As(err, &refusal) && a.Judge != nil {
		err = a.Judge(refusal, err)
	}
	return step.Within(doing, err)
}

// A Question is what one request reads.
type Question struct {
	Path  string
	Query map[string]string
}

// GetAll asks several questions. Each answer fills its members of the one that is returned.
func (a API[A]) GetAll(ctx context.Context, doing string, questions ...Question) (got A, err error) {
	for _, q := range questions {
		if err := a.into(ctx, &got, doing, http.MethodGet, q.Path, q.Query, nil); err != nil {
			return got, err
		}
	}
	return got, nil
}
