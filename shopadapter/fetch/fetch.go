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
	"strings"
	"time"
)

// ErrUnfit is in the chain of every error that another try would only repeat.
var ErrUnfit = errors.New("not a usable image")

// ErrPrivate is in the chain of the error of an address that the guard refuses. It has ErrUnfit in
// its own.
var ErrPrivate = fmt.Errorf("the host's address is not a public one: %w", ErrUnfit)

// The defaults of Options.
const (
	DefaultMaxBytes  = 20 << 20
	DefaultTimeout   = 30 * time.Second
	DefaultAnswer    = 10 * time.Second
	DefaultRedirects = 3
)

// Options bound what a Client does. The zero value is usable.
type Options struct {
	MaxBytes  int64         // the largest file taken, in bytes; 0: DefaultMaxBytes
	Timeout   time.Duration // for one download with its redirects; 0: DefaultTimeout
	Answer    time.Duration // to connect, and to the first bytes of a try; 0: DefaultAnswer
	Redirects int           // redirects followed; 0: DefaultRedirects, negative: none
	Types     []string      // of Types(), what is wanted; empty: all of them
	// host or host:port that may be reached although its address is not public; without a port
	// every port
	AllowHosts []string
	UserAgent  string // sent with every request when not empty
}

// A File is what was downloaded.
type File struct {
	Bytes []byte
	Type  string // one of Types(), from the file's first bytes
}

// A Client downloads files. It is safe for use by several goroutines; Close it to let go of idle
// connections.
type Client struct {
	http      *http.Client
	transport *http.Transport
	options   Options
	silences  silences
}

// New makes a Client. It makes no request.
func New(o Options) *Client {
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Answer <= 0 {
		o.Answer = DefaultAnswer
	}
	if o.Redirects == 0 {
		o.Redirects = DefaultRedirects
	}
	if len(o.Types) == 0 {
		o.Types = Types()
	}
	c := &Client{options: o, transport: newTransport(guard{allow: slices.Clone(o.AllowHosts)})}
	c.http = &http.Client{Transport: c.transport, Timeout: o.Timeout, CheckRedirect: c.redirect}
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
	return c.read(response)
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
	request.Header.Set("Accept", strings.Join(c.options.Types, ", "))
	return c.http.Do(request)
}

func (c *Client) read(response *http.Response) (File, error) {
	if response.ContentLength > c.options.MaxBytes {
		return File{}, c.tooLarge()
	}
	var body bytes.Buffer
	if _, err := io.Copy(&body, io.LimitReader(response.Body, c.options.MaxBytes+1)); err != nil {
		return File{}, err
	}
	if int64(body.Len()) > c.options.MaxBytes {
		return File{}, c.tooLarge()
	}
	kind := Sniff(body.Bytes())
	if kind == "" {
		return File{}, fmt.Errorf("it is neither JPEG, PNG, WebP nor GIF: %w", ErrUnfit)
	}
	if !slices.Contains(c.options.Types, kind) {
		return File{}, fmt.Errorf("the type %s is not wanted here: %w", kind, ErrUnfit)
	}
	return File{Bytes: body.Bytes(), Type: kind}, nil
}

func (c *Client) tooLarge() error {
	return fmt.Errorf("it is larger than %d bytes: %w", c.options.MaxBytes, ErrUnfit)
}

func (c *Client) redirect(request *http.Request, via []*http.Request) error {
	if len(via) > max(c.options.Redirects, 0) {
		return fmt.Errorf("more than %d redirects: %w", max(c.options.Redirects, 0), ErrUnfit)
	}
	// A picture's address is not told to the host that it redirects to.
	request.Header.Del("Referer")
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
	switch {
	case status == http.StatusOK:
		return nil
	case status == http.StatusRequestTimeout,
		status == http.StatusTooEarly,
		status == http.StatusTooManyRequests,
		status >= 500:
		return fmt.Errorf("the host answered %d", status)
	default:
		return fmt.Errorf("the host answered %d: %w", status, ErrUnfit)
	}
}

// plain takes the address out of an error: it may carry a signature in its query, and the caller
// names it anyway.
func plain(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
