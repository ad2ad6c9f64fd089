package setup

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pubsync/pubsync/shopadapter/quote"
)

// A secretFilter removes secrets from texts. Of each secret it knows three values: the one in use,
// the one before, which a late answer may repeat, and the one that was tried last. Older values are
// forgotten.
type secretFilter struct {
	mu      sync.Mutex
	secrets map[string]*hidden
	now     atomic.Pointer[strings.Replacer]
}

// hidden is the values of one secret that are taken out of texts.
type hidden struct{ used, before, tried string }

func newSecretFilter() *secretFilter {
	f := &secretFilter{secrets: map[string]*hidden{}}
	f.now.Store(strings.NewReplacer())
	return f
}

// try hides a value of the named secret that may come into use.
func (f *secretFilter) try(name, value string) { f.hide(name, value, false) }

// use hides a value of the named secret from now on, beside the last one.
func (f *secretFilter) use(name, value string) { f.hide(name, value, true) }

func (f *secretFilter) hide(name, value string, used bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	h := f.secrets[name]
	if h == nil {
		h = &hidden{}
		f.secrets[name] = h
	}
	switch {
	case value == h.used:
		return
	case used:
		h.used, h.before, h.tried = value, h.used, ""
	default:
		h.tried = value
	}
	var all []string
	for _, h := range f.secrets {
		all = append(all, h.used, h.before, h.tried)
	}
	f.now.Store(quote.Hider("[secret]", all...))
}

// Replace returns the text without the secrets.
func (f *secretFilter) Replace(text string) string { return f.now.Load().Replace(text) }
