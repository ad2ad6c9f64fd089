package shopadapter_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// opened is an adapter that keeps its options.
type opened struct {
	shopadapter.Adapter
	options  shopadapter.Options
	settings registered
}

type registered struct {
	URL     string  `env:"URL, required" meaning:"the address"`
	Version version `env:"VERSION, default=2026-07" meaning:"the version"`
	Token   string  `env:"TOKEN" secret:"true" meaning:"the token"`
}

type version string

func (v *version) EnvDecode(_ context.Context, value string) error {
	if *v = version(value); !strings.HasPrefix(value, "2026-") {
		return errors.New("must be a year and a month")
	}
	return nil
}

func init() {
	shopadapter.Register("registry-test", shopadapter.Factory{
		Settings: registered{},
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			var set registered
			o, err := o.Complete("registry-test", &set)
			return opened{options: o, settings: set}, err
		},
	})
	shopadapter.Register("registry-test-shut", shopadapter.Factory{
		Open: func(shopadapter.Options) (shopadapter.Adapter, error) { return nil, http.ErrServerClosed },
	})
}

func TestRegisterPanics(t *testing.T) {
	factory, ok := shopadapter.Lookup("registry-test")
	if !ok {
		t.Fatal("what init registered is not there")
	}
	for _, tt := range []struct {
		name    string
		adapter string
		factory shopadapter.Factory
		want    string
	}{
		{"a duplicate", "registry-test", factory, "twice for registry-test"},
		{"no open", "registry-test-closed", shopadapter.Factory{}, "registry-test-closed without Open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if text, _ := recover().(string); !strings.Contains(text, tt.want) {
					t.Errorf("panic with %q, want %q", text, tt.want)
				}
			}()
			shopadapter.Register(tt.adapter, tt.factory)
		})
	}
	if _, ok := shopadapter.Lookup("registry-test-closed"); ok {
		t.Error("an adapter that cannot be opened was registered")
	}
}

func TestOpen(t *testing.T) {
	client := &http.Client{Timeout: time.Minute}
	for _, tt := range []struct {
		name string
		in   shopadapter.Options
		want registered
	}{
		{"the least", shopadapter.Options{Settings: map[string]string{"URL": "u"}}, registered{"u", "2026-07", ""}},
		{
			"all set",
			shopadapter.Options{Settings: map[string]string{"URL": "u", "VERSION": "2026-10", "TOKEN": "t"}},
			registered{"u", "2026-10", "t"},
		},
		{
			"an empty value counts as unset",
			shopadapter.Options{Settings: map[string]string{"URL": "u", "VERSION": ""}},
			registered{"u", "2026-07", ""},
		},
		{
			"what is no setting is left out",
			shopadapter.Options{Settings: map[string]string{"URL": "u", "SECRET_OF_ANOTHER": "s"}, HTTPClient: client},
			registered{"u", "2026-07", ""},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			given := maps.Clone(tt.in.Settings)
			a, err := shopadapter.Open("registry-test", tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got := a.(opened).options
			if set := a.(opened).settings; set != tt.want {
				t.Errorf("settings: got %+v, want %+v", set, tt.want)
			}
			if got.HTTPClient == nil || got.Logger == nil || got.HTTPClient.CheckRedirect == nil ||
				(tt.in.HTTPClient != nil && got.HTTPClient.Timeout != time.Minute) {
				t.Errorf(
					"got the client %+v and the logger %p, want one that follows no redirect, and one",
					got.HTTPClient, got.Logger,
				)
			}
			if client.CheckRedirect != nil {
				t.Error("the client that the caller uses elsewhere no longer follows redirects")
			}
			if !maps.Equal(tt.in.Settings, given) {
				t.Errorf("the caller's settings: got %v, want %v", tt.in.Settings, given)
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	if a, err := shopadapter.Open("shopfiy", shopadapter.Options{}); a != nil || err == nil ||
		!strings.Contains(err.Error(), `"shopfiy"`) || !strings.Contains(err.Error(), "registry-test") {
		t.Errorf("got %v, %v, want the unknown name and the known ones", a, err)
	}
	faulty := map[string]string{"VERSION": "hunter2"}
	a, err := shopadapter.Open("registry-test", shopadapter.Options{Settings: faulty})
	want := "PUBSYNC_REGISTRY_TEST_URL: is required: the address\nPUBSYNC_REGISTRY_TEST_VERSION: must be a year and " +
		"a month"
	if a != nil || err == nil || err.Error() != want {
		t.Errorf("got %v, %v, want %q", a, err, want)
	}
	if a, err := shopadapter.Open("registry-test-shut", shopadapter.Options{}); a != nil ||
		!errors.Is(err, http.ErrServerClosed) {
		t.Errorf("got %v, %v, want the error of the factory", a, err)
	}
}
