// Package fetch downloads and tries pictures at addresses that a supplier chose.
//
// A supplier names an address, and a program inside the retailer's network follows it: that is how a
// stranger reads a metadata service or a router's page. So each connection is judged in the dialer,
// once the name is resolved: see [Public]. Neither a name that resolves differently the second time
// nor a redirect gets around that. The exception is a host that the merchant named in
// Options.AllowHosts.
//
// A download is bounded in time and size, and its type is read from its first bytes alone. An error
// with [ErrUnfit] in its chain would only repeat itself; any other may pass.
package fetch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// ErrUnfit is in the chain of every error that another try would only repeat.
var ErrUnfit = errors.New("not a usable image")

// ErrPrivate is in the chain of the error of an address that the guard refuses. It has ErrUnfit in
// its own.
var ErrPrivate = fmt.Errorf("the host's address is not a public one: %w", ErrUnfit)

const mostRedirects = 3

// Options bound what a Client does. The zero value is usable.
type Options struct {
	MaxBytes int64         // the largest file taken, in bytes; 0: 20 MiB
	Timeout  time.Duration // for one download with its redirects; 0: 30 s
	Answer   time.Duration // to connect, and to the first bytes of a try; 0: 10 s
	// host or host:port that may be reached although its address is not public; without a port
	// every port
	AllowHosts []string
	UserAgent  string // sent with every request when not empty
}

// A File is what was downloaded.
type File struct {
	Bytes []byte
	Type  string // its media type, from the file's first bytes
}

// A Client downloads files. It is safe for use by several goroutines; Close it to let go of idle
// connections.
type Client struct {
	http      *http.Client
	transport *http.Transport
	options   Options

	mu     sync.Mutex
	silent map[string]silence // by host
}

// New makes a Client. It makes no request.
func New(o Options) *Client {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 20 << 20
	}
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Answer <= 0 {
		o.Answer = defaultAnswer
	}
	c := &Client{options: o, transport: Transport(o.AllowHosts...), silent: map[string]silence{}}
	c.http = &http.Client{Transport: c.transport, Timeout: o.Timeout, CheckRedirect: redirect}
	return c
}

// Close lets go of idle connections.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Get downloads one file. The context's own error is returned when it ended; ErrUnfit is in the
// chain of an error that will not pass.
func (c *Client) Get(ctx context.Context, address string) (File, error) {
	file, err := c.get(ctx, address)
	switch {
	case err == nil:
		return file, nil
	case ctx.Err() != nil:
		return File{}, ctx.Err()
	}
	return File{}, fmt.Errorf("download image: %w", plain(err))
}

func (c *Client) get(ctx context.Context, address string) (File, error) {
	response, err := c.ask(ctx, address)
	if err != nil {
		return File{}, err
	}
	defer func() { _ = response.Body.Close() }()
	if err := checkStatus(response.StatusCode); err != nil {
		return File{}, err
	}
	most := c.options.MaxBytes
	var body bytes.Buffer
	if response.ContentLength <= most {
		if _, err := io.Copy(&body, io.LimitReader(response.Body, most+1)); err != nil {
			return File{}, err
		}
	}
	if max(response.ContentLength, int64(body.Len())) > most {
		return File{}, fmt.Errorf("it is larger than %d bytes: %w", most, ErrUnfit)
	}
	kind := http.DetectContentType(body.Bytes())
	if Extension(kind) == "" {
		return File{}, fmt.Errorf("it is neither JPEG, PNG, WebP nor GIF: %w", ErrUnfit)
	}
	return File{Bytes: body.Bytes(), Type: kind}, nil
}

// Extension is the file name's ending for a File's type, with its dot; "" for another type.
func Extension(kind string) string {
	return map[string]string{
		"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif",
	}[kind]
}

// ask makes the request for an address.
func (c *Client) ask(ctx context.Context, address string) (*http.Response, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("the address cannot be read: %w", ErrUnfit)
	}
	if err := checkAddress(u); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("the address cannot be asked for: %w", ErrUnfit)
	}
	if c.options.UserAgent != "" {
		request.Header.Set("User-Agent", c.options.UserAgent)
	}
	request.Header.Set("Accept", "image/jpeg, image/png, image/webp, image/gif")
	return c.http.Do(request)
}

func redirect(request *http.Request, via []*http.Request) error {
	if len(via) > mostRedirects {
		return fmt.Errorf("more than %d redirects: %w", mostRedirects, ErrUnfit)
	}
	request.Header.Del("Referer") // a picture's address is not told to the host that it redirects to
	return checkAddress(request.URL)
}

func checkAddress(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the address is not http or https: %w", ErrUnfit)
	case u.User != nil:
		return fmt.Errorf("the address holds a user name: %w", ErrUnfit)
	case u.Hostname() == "":
		return fmt.Errorf("the address names no host: %w", ErrUnfit)
	}
	return nil
}

func checkStatus(status int) error {
	passes := []int{http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests}
	switch {
	case status == http.StatusOK:
		return nil
	case status >= 500 || slices.Contains(passes, status):
		return fmt.Errorf("the host answered %d", status)
	default:
		return fmt.Errorf("the host answered %d: %w", status, ErrUnfit)
	}
}

// plain takes the address out of an error: it may carry a signature in its query, and the caller
// names it anyway.
func plain(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
