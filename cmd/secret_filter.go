package cmd

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A secretFilter takes secrets out of texts. Secrets are added at any time and never removed, since a late answer may repeat an old one.
type secretFilter struct {
	mu      sync.Mutex
	secrets []string
	now     atomic.Pointer[strings.Replacer]
}

func newSecretFilter(secrets ...string) *secretFilter {
	c := &secretFilter{}
	c.add(secrets...)
	return c
}

func (c *secretFilter) add(secrets ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, secret := range secrets {
		if !slices.Contains(c.secrets, secret) {
			c.secrets = append(c.secrets, secret)
		}
	}
	c.now.Store(redactor(c.secrets))
}

// Replace is the text without the secrets.
func (c *secretFilter) Replace(text string) string { return c.now.Load().Replace(text) }
