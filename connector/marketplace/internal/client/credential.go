package client

import (
	"cmp"
	"slices"
	"sync"
)

// A credential is the token in use. It may be replaced at any time; requests that are under way
// keep the one that they were sent with.
type credential struct {
	mu     sync.RWMutex
	tokens []string // the one in use last. Earlier ones are still removed from what a server says
}

// mostTokens bounds the tokens that are kept: no answer comes any more to a request from before
// three replacements.
const mostTokens = 4

func newCredential(token string) *credential { return &credential{tokens: []string{token}} }

func (c *credential) token() string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.tokens[len(c.tokens)-1]
}

// secrets is every token that an answer may repeat, the longest first: another may be its
// beginning.
func (c *credential) secrets() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.SortedFunc(slices.Values(c.tokens), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

// replace has requests sent from now on carry another token. An empty one, or the one in use,
// changes nothing, and that is reported.
func (c *credential) replace(token string) (changed bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if token == "" || token == c.tokens[len(c.tokens)-1] {
		return false
	}
	c.tokens = append(c.tokens, token)
	c.tokens = slices.Clone(c.tokens[max(0, len(c.tokens)-mostTokens):])
	return true
}
