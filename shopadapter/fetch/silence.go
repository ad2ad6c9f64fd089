package fetch

import (
	"net/url"
	"sync"
	"time"
)

const (
	// mostSilent is how many addresses of a host may be silent in a row before the host is left
	// alone for a while.
	mostSilent = 3
	// silentAge is for how long it is left alone.
	silentAge = time.Minute
	// mostHosts bounds the hosts that are remembered.
	mostHosts = 1000
)

// silences remembers hosts that do not answer, so that an import whose picture server is down waits
// for it a few times and not once for each product. Any answer of the host ends it, and so does a
// minute.
type silences struct {
	mu    sync.Mutex
	hosts map[string]*silence
}

type silence struct {
	addresses map[string]bool // since the last answer
	last      time.Time
}

// of tells whether the host of an address is left alone.
func (s *silences) of(address string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.hosts[hostOf(address)]
	return h != nil && len(h.addresses) >= mostSilent && time.Since(h.last) < silentAge
}

// note takes in how a try of an address ended.
func (s *silences) note(address string, silent bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	host := hostOf(address)
	h := s.hosts[host]
	switch {
	case !silent:
		delete(s.hosts, host)
		return
	case h == nil || time.Since(h.last) >= silentAge:
		if s.hosts == nil || len(s.hosts) >= mostHosts {
			s.hosts = map[string]*silence{}
		}
		h = &silence{addresses: map[string]bool{}}
		s.hosts[host] = h
	}
	if h.last = time.Now(); len(h.addresses) < mostSilent {
		h.addresses[address] = true
	}
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
