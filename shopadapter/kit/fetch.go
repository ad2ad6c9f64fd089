package kit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// ErrUnfit marks a picture that another try would not help. An address that is not public has wire.ErrPrivate in its
// chain too.
var ErrUnfit = errors.New("not a usable image")

// A Fetcher downloads and tries pictures at addresses that a supplier chose, if they are public or the merchant
// allows them. A download may take 30 s, a try 10 s. The type is read from the first bytes.
type Fetcher struct {
	http   http.Client
	answer time.Duration
}

// NewFetcher makes a Fetcher for the shop at an address, without a request.
func NewFetcher(shop string, allowed Hosts) *Fetcher {
	return &Fetcher{
		http: http.Client{
			Transport: wire.PublicTransport(append(slices.Clone(allowed), beside(shop)...)...), Timeout: 30 * time.Second,
			CheckRedirect: func(request *http.Request, via []*http.Request) error {
				if len(via) > 3 {
					return fmt.Errorf("more than 3 redirects: %w", ErrUnfit)
				}
				request.Header.Del("Referer") // hides a picture's address from the host that it redirects to
				return checkAddress(request.URL)
			},
		},
		answer: 10 * time.Second,
	}
}

// Close releases idle connections.
func (f *Fetcher) Close() { f.http.CloseIdleConnections() }

// A Picture is a download.
type Picture struct {
	Bytes           []byte
	Type, Extension string // media type; file extension with its dot
}

// Get downloads a picture of up to most bytes. Once ctx has ended, the error is ctx's own.
func (f *Fetcher) Get(ctx context.Context, address string, most int64) (p Picture, err error) {
	if p, err = f.get(ctx, address, most); err != nil && ctx.Err() == nil {
		return Picture{}, fmt.Errorf("download image: %w", plain(err))
	} else if err != nil {
		return Picture{}, ctx.Err()
	}
	return p, nil
}

func (f *Fetcher) get(ctx context.Context, address string, most int64) (p Picture, err error) {
	response, err := f.ask(ctx, address)
	if err != nil {
		return p, err
	}
	defer response.Body.Close()
	switch code := response.StatusCode; {
	case code == http.StatusOK:
	case code >= 500, code == http.StatusRequestTimeout, code == http.StatusTooEarly, code == http.StatusTooManyRequests:
		return p, fmt.Errorf("the host answered %d", code)
	default:
		return p, fmt.Errorf("the host answered %d: %w", code, ErrUnfit)
	}
	length := response.ContentLength
	if length <= most {
		p.Bytes, err = io.ReadAll(io.LimitReader(response.Body, most+1))
	}
	p.Type = http.DetectContentType(p.Bytes)
	p.Extension = map[string]string{
		"image/jpeg": ".jpg", "image/png": ".png", "image/webp": ".webp", "image/gif": ".gif",
	}[p.Type]
	switch {
	case err != nil:
	case max(length, int64(len(p.Bytes))) > most:
		err = fmt.Errorf("it is larger than %d bytes: %w", most, ErrUnfit)
	case p.Extension == "":
		err = fmt.Errorf("it is neither JPEG, PNG, WebP nor GIF: %w", ErrUnfit)
	}
	return p, err
}

func (f *Fetcher) ask(ctx context.Context, address string) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, fmt.Errorf("the address cannot be read: %w", ErrUnfit)
	}
	if err := checkAddress(request.URL); err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "pubsync")
	request.Header.Set("Accept", "image/jpeg, image/png, image/webp, image/gif")
	return f.http.Do(request)
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

// plain drops the address from an error: its query may hold a signature.
func plain(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err
	}
	if errors.Is(err, wire.ErrPrivate) {
		err = fmt.Errorf("%w: %w", err, ErrUnfit)
	}
	return err
}

// TryAll asks for pictures that the shop will download, and returns errors by address. Any answer is a success: the
// downloader judges it. So is an unknown host name, which the shop may know.
func (f *Fetcher) TryAll(ctx context.Context, addresses []string) map[string]error {
	failed := map[string]error{}
	var mu sync.Mutex
	var all errgroup.Group
	all.SetLimit(16)
	for _, address := range addresses {
		all.Go(func() error {
			if err := f.try(ctx, address); err != nil {
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

func (f *Fetcher) try(ctx context.Context, address string) error {
	limited, cancel := context.WithTimeout(ctx, f.answer)
	defer cancel()
	response, err := f.ask(limited, address)
	if err == nil {
		defer response.Body.Close()
		if _, err = response.Body.Read(make([]byte, 1)); errors.Is(err, io.EOF) {
			err = nil
		}
	}
	_, unknown := errors.AsType[*net.DNSError](err)
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case err == nil, unknown:
		return nil
	case limited.Err() != nil:
		return fmt.Errorf("its server did not answer within %s", f.answer)
	}
	return plain(err)
}

// Hosts is the setting IMAGE_HOSTS: hosts to reach although they are not public.
type Hosts []string

// EnvDecode reads the setting.
func (h *Hosts) EnvDecode(_ context.Context, value string) error {
	for entry := range strings.SplitSeq(value, ",") {
		if entry = strings.TrimSpace(entry); strings.ContainsAny(entry, "/@?# ") {
			return errors.New("must be host names or addresses, each with or without a port, joined by commas")
		}
		if entry != "" {
			*h = append(*h, entry)
		}
	}
	return nil
}

// beside returns the shop's host, and all names of this machine if the shop is on it.
func beside(shop string) []string {
	u, err := url.Parse(shop)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if strings.EqualFold(u.Hostname(), "localhost") || err == nil && ip.IsLoopback() {
		return []string{"localhost", "127.0.0.1", "::1", u.Hostname()}
	}
	return []string{u.Hostname()}
}

// PicturesTime bounds all pictures of one write together, so that none keeps a product off sale.
const PicturesTime = 30 * time.Second

// A Library serves a shop that loads pictures before a product shows them. If an upload shows at once, call Load
// while the product is off sale, then write the order and remove other pictures.
type Library struct {
	// Try is Fetcher.TryAll: a silent server would hold up the shop, and the whole product.
	Try func(ctx context.Context, addresses []string) map[string]error
	// Have returns the shop's ids of loaded pictures by address, by a mark that was made from the address.
	Have func(ctx context.Context, addresses []string) (map[string]string, error)
	// Upload loads one picture. The product does without it on a LeftOut, or an error that refuses the picture.
	Upload func(ctx context.Context, address string) (id string, err error)
	Clean  func(string) string // makes an error presentable
}

// LeftOut is the error of a picture that the product does without, although another try may help.
type LeftOut struct{ Err error }

func (l *LeftOut) Error() string { return l.Err.Error() }
func (l *LeftOut) Unwrap() error { return l.Err }

// RefusesPicture reports whether the picture itself is refused: only another one helps.
func RefusesPicture(err error) bool {
	return errors.Is(err, ErrUnfit) || Rejected(err)
}

// Load brings pictures into a library and returns their ids in order. missing are those refused, or not there within
// PicturesTime.
func (l Library) Load(
	ctx context.Context, addresses []string,
) (ids []string, missing []shopadapter.Picture, err error) {
	have, err := l.Have(ctx, addresses)
	if err != nil {
		return nil, nil, err
	}
	limited, cancel := context.WithTimeout(ctx, PicturesTime)
	defer cancel()
	fresh := slices.DeleteFunc(slices.Clone(addresses), func(address string) bool { return have[address] != "" })
	failed := l.Try(limited, fresh)
	ids = []string{}
	for _, address := range addresses {
		id, err, late := have[address], failed[address], true
		if id == "" && err == nil {
			if err = limited.Err(); err == nil {
				id, err = l.Upload(limited, address)
			}
			if _, late = errors.AsType[*LeftOut](err); err != nil && limited.Err() != nil {
				late, err = true, fmt.Errorf("it did not arrive within the %d seconds that all pictures share",
					PicturesTime/time.Second)
			}
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err == nil && !slices.Contains(ids, id):
			ids = append(ids, id)
		case err != nil && !late && !RefusesPicture(err):
			return nil, nil, err
		case err != nil:
			missing = append(missing, shopadapter.Picture{
				URL: address, Reason: l.Clean(err.Error()), Later: !RefusesPicture(err),
			})
		}
	}
	return ids, missing, ctx.Err()
}
