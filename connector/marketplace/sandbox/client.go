package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	askTimeout = 10 * time.Second
	mostAnswer = 1 << 30 // bytes: a list of some 300,000 publications
)

// A Refusal says why an order cannot be carried out.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Send has the sandbox at an address carry out an order. The error is a Refusal where the order is wrong.
func Send(ctx context.Context, at string, order Order) (done Outcome, err error) {
	err = ask(ctx, http.MethodPost, at, "/sandbox/orders", order, &done)
	return done, err
}

// Listed returns the import list of the sandbox at an address.
func Listed(ctx context.Context, at string) (list []Publication, err error) {
	answer := struct{ Publications *[]Publication }{&list}
	err = ask(ctx, http.MethodGet, at, "/sandbox/publications", nil, &answer)
	return list, err
}

func ask(ctx context.Context, method, at, path string, order, into any) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	body, err := json.Marshal(order)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(at, "/")+path, bytes.NewReader(body))
	if err != nil {
		return Refusal("that is not an address such as http://127.0.0.1:9465")
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("no sandbox at %s: %w", at, errors.Unwrap(err))
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	data, err := io.ReadAll(io.LimitReader(resp.Body, mostAnswer))
	var refused struct{ Error string }
	switch {
	case err != nil:
		return fmt.Errorf("read the sandbox's answer: %w", err)
	case resp.StatusCode == http.StatusOK && json.Unmarshal(data, into) == nil:
		return nil
	case json.Unmarshal(data, &refused) == nil && refused.Error != "":
		return Refusal(refused.Error)
	}
	return fmt.Errorf("what answers at %s (%s) is no sandbox", at, resp.Status)
}
