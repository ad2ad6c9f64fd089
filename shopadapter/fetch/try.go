package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// TogetherTimeout is what all pictures of one write may take together, so that none of them keeps a
// product off sale.
const TogetherTimeout = 30 * time.Second

// mostTries is how many addresses are tried at a time.
const mostTries = 16

// Try asks for a picture that somebody else is to download, and is content with its first bytes.
// nil says that there was an answer, whatever it is: the one who downloads it judges. A name that
// is not known here is not judged either, since it may be known there. Otherwise the error is as of
// Get.
func (c *Client) Try(ctx context.Context, address string) error {
	if c.silences.of(address) {
		return errors.New("its server has not answered for some time")
	}
	limited, cancel := context.WithTimeout(ctx, c.options.Answer)
	defer cancel()
	err := c.try(limited, address)
	if ctx.Err() == nil && !errors.Is(err, ErrUnfit) {
		c.silences.note(address, limited.Err() != nil)
	}
	var unknown *net.DNSError
	switch {
	case err == nil, errors.As(err, &unknown) && ctx.Err() == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case limited.Err() != nil:
		return fmt.Errorf("its server did not answer within %s", c.options.Answer)
	}
	return plain(err)
}

func (c *Client) try(ctx context.Context, address string) error {
	response, err := c.ask(ctx, address)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := response.Body.Read(make([]byte, 1)); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// TryAll tries each address, many at a time, and returns the errors of those that failed.
func (c *Client) TryAll(ctx context.Context, addresses []string) map[string]error {
	failed := map[string]error{}
	var mu sync.Mutex
	var all sync.WaitGroup
	places := make(chan struct{}, mostTries)
	for _, address := range addresses {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			if err := c.Try(ctx, address); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed[address] = err
			}
		})
	}
	all.Wait()
	return failed
}
