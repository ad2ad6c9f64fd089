package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// TogetherTimeout is what all pictures of one write may take together, so that none of them keeps a
// product off sale.
const TogetherTimeout = 30 * time.Second

const (
	mostTries  = 16          // addresses that are tried at a time
	mostSilent = 3           // tries of a host in a row without an answer: it is left alone
	silentAge  = time.Minute // for so long
	mostHosts  = 1000        // that are remembered
)

// A silence is the tries of a host in a row that had no answer. It is remembered so that an import
// whose picture server is down waits for it a few times, and not once for each product.
type silence struct {
	tries   int
	last    time.Time
	address string // of the last one: one picture alone says nothing of its host
}

// Try asks for a picture that somebody else is to download, and is content with its first bytes.
// nil says that there was an answer, whatever it is: the one who downloads it judges. A name that
// is not known here is not judged either, since it may be known there. Otherwise the error is as of
// Get.
func (c *Client) Try(ctx context.Context, address string) error {
	if c.leftAlone(address) {
		return errors.New("its server has not answered for some time")
	}
	limited, cancel := context.WithTimeout(ctx, c.options.Answer)
	defer cancel()
	err := c.try(limited, address)
	if ctx.Err() == nil && !errors.Is(err, ErrUnfit) {
		c.note(address, limited.Err() != nil)
	}
	_, unknown := errors.AsType[*net.DNSError](err)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case unknown:
		return nil
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
	var all errgroup.Group
	all.SetLimit(mostTries)
	for _, address := range addresses {
		all.Go(func() error {
			if err := c.Try(ctx, address); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed[address] = err
			}
			return nil
		})
	}
	_ = all.Wait() //nolint:errcheck // each failure stands beside its address
	return failed
}

// leftAlone tells whether the host of an address is left alone, since it was silent.
func (c *Client) leftAlone(address string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.silent[hostOf(address)]
	return s.tries >= mostSilent && time.Since(s.last) < silentAge
}

// note takes in how a try of an address ended. Any answer of the host ends its silence.
func (c *Client) note(address string, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	host := hostOf(address)
	s := c.silent[host]
	if delete(c.silent, host); !silent {
		return
	}
	if len(c.silent) >= mostHosts {
		clear(c.silent)
	}
	if time.Since(s.last) >= silentAge {
		s = silence{} // it begins anew, with the same picture too
	}
	if s.address != address {
		s.tries++
	}
	c.silent[host] = silence{s.tries, time.Now(), address}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
