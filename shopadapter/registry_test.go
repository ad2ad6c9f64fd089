package shopadapter_test

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// opened is an adapter that keeps its options.
type opened struct {
	shopadapter.Adapter
	options shopadapter.Options
}

func init() {
	shopadapter.Register("registry-test", shopadapter.Factory{
		Settings: []shopadapter.Setting{
			{Name: "URL", Required: true, Meaning: "the address"}, {Name: "VERSION", Default: "2026-07", Valid: validVersion}, {Name: "TOKEN", Secret: true},
		},
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) { return opened{options: o}, nil },
	})
	shopadapter.Register("registry-test-shut", shopadapter.Factory{
		Open: func(shopadapter.Options) (shopadapter.Adapter, error) { return nil, http.ErrServerClosed },
	})
}

func validVersion(value string) error {
	if !strings.HasPrefix(value, "2026-") {
		return errors.New("must be a year and a month")
	}
	return nil
}

func TestRegisterPanics(t *testing.T) {
	factory, ok := shopadapter.Lookup("shelf")
	if !ok {
		t.Fatal("the example is not registered")
	}
	for _, tt := range []struct {
		name    string
		adapter string
		factory shopadapter.Factory
		want    string
	}{
		{"a duplicate", "shelf", factory, "twice for shelf"},
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

func TestNames(t *testing.T) {
	names := shopadapter.Names()
	if !slices.IsSorted(names) || !slices.Contains(names, "shelf") || !slices.Contains(names, "registry-test") {
		t.Errorf("names %v", names)
	}
}

func TestOpen(t *testing.T) {
	client := &http.Client{Timeout: time.Minute}
	for _, tt := range []struct {
		name string
		in   shopadapter.Options
		want map[string]string
	}{
		{"the least", shopadapter.Options{Settings: map[string]string{"URL": "u"}}, map[string]string{"URL": "u", "VERSION": "2026-07", "TOKEN": ""}},
		{
			"all set",
			shopadapter.Options{Settings: map[string]string{"URL": "u", "VERSION": "2026-10", "TOKEN": "t"}},
			map[string]string{"URL": "u", "VERSION": "2026-10", "TOKEN": "t"},
		},
		{
			"an empty value counts as unset",
			shopadapter.Options{Settings: map[string]string{"URL": "u", "VERSION": ""}},
			map[string]string{"URL": "u", "VERSION": "2026-07", "TOKEN": ""},
		},
		{
			"what is no setting is left out",
			shopadapter.Options{Settings: map[string]string{"URL": "u", "SECRET_OF_ANOTHER": "s"}, HTTPClient: client},
			map[string]string{"URL": "u", "VERSION": "2026-07", "TOKEN": ""},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			given := maps.Clone(tt.in.Settings)
			a, err := shopadapter.Open("registry-test", tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got := a.(opened).options
			if !maps.Equal(got.Settings, tt.want) {
				t.Errorf("settings %v, want %v", got.Settings, tt.want)
			}
			if got.HTTPClient == nil || got.Logger == nil || got.HTTPClient.CheckRedirect == nil || (tt.in.HTTPClient != nil && got.HTTPClient.Timeout != time.Minute) {
				t.Errorf("opened with client %+v and logger %p", got.HTTPClient, got.Logger)
			}
			if client.CheckRedirect != nil {
				t.Error("the client that the caller uses elsewhere no longer follows redirects")
			}
			if !maps.Equal(tt.in.Settings, given) {
				t.Errorf("the caller's settings became %v", tt.in.Settings)
			}
		})
	}
}

func TestOpenFails(t *testing.T) {
	if a, err := shopadapter.Open("shopfiy", shopadapter.Options{}); a != nil || err == nil ||
		!strings.Contains(err.Error(), `"shopfiy"`) || !strings.Contains(err.Error(), "shelf") {
		t.Errorf("adapter %v, error %v: want the unknown name and the known ones", a, err)
	}
	faulty := map[string]string{"VERSION": "hunter2"}
	a, err := shopadapter.Open("registry-test", shopadapter.Options{Settings: faulty})
	want := "PUBSYNC_REGISTRY_TEST_URL is missing: the address\nPUBSYNC_REGISTRY_TEST_VERSION must be a year and a month"
	if a != nil || err == nil || err.Error() != want {
		t.Errorf("adapter %v, error %v: want both faults without a value", a, err)
	}
	if a, err := shopadapter.Open("registry-test-shut", shopadapter.Options{}); a != nil || !errors.Is(err, http.ErrServerClosed) {
		t.Errorf("adapter %v, error %v", a, err)
	}
}
