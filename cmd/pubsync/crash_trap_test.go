// How a kill is made to fall where it should.

package main_test

import (
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// A trap is where a kill falls.
type trap struct {
	at     sight
	nth    int
	lets   bool          // the request goes on
	id     string        // of the publication whose request it was
	sprung chan struct{} // closed when it has come to that
	struck chan struct{} // closed when the signal has been sent, and with SIGKILL the process is gone
}

// reset ends all that was in force in a round.
func (c *campaign) reset() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.trap, c.hang, c.blows, c.midway = nil, sight{}, nil, nil
	c.counts, c.replies = map[sight]int{}, map[string]shoptest.Reply{}
}

// see is told of every request, of both sides, at each of its moments.
func (c *campaign) see(s sight, l letter) (on bool) {
	if s.moment == arrived {
		switch s.kind {
		case sandbox.KindReport:
			c.ledger.reported(l.body)
		case kindDelete:
			c.ledger.withdrawn(l.id)
		}
	}
	if s == (sight{kindDelete, executed}) {
		c.ledger.look(l.id)
	}
	c.mu.Lock()
	c.counts[s]++
	n := c.counts[s]
	for _, b := range c.blows {
		if s == (sight{b.kind, arrived}) && b.nth == n {
			c.replies[l.id] = b.shop
			if b.market.Kind != "" {
				c.market.Inject(b.market)
			}
		}
	}
	midway, hangs := c.midway, c.hang == s
	c.mu.Unlock()
	if s == (sight{sandbox.KindList, executed}) && midway != nil {
		midway()
	}
	if hangs {
		c.spring(sight{s.kind, hanging}, n, l.id)
		<-l.sender
		return false
	}
	return c.spring(s, n, l.id)
}

// spring springs the trap, if this is where it lies, and returns when the signal has been sent. It
// reports whether the request goes on.
func (c *campaign) spring(s sight, n int, id string) (on bool) {
	c.mu.Lock()
	tr := c.trap
	mine := tr != nil && tr.at == s && tr.nth == n
	if mine {
		tr.id = id
		close(tr.sprung)
	}
	c.mu.Unlock()
	if !mine || s.moment == answered {
		return true
	}
	<-tr.struck
	return tr.lets
}

// reply is the shop's rule: what a blow says, and no to what is forbidden.
func (c *campaign) reply(r shoptest.Call) shoptest.Reply {
	id := string(r.ID)
	c.mu.Lock()
	v, struck := c.replies[id]
	delete(c.replies, id)
	c.mu.Unlock()
	spared := struck && (v.Status != 0 && v.Answer == "" || v.Cut == shoptest.Before)
	if strings.HasPrefix(r.Product.Title, forbidden) && !spared {
		c.ledger.refuses(id)
		return problem(http.StatusUnprocessableEntity, "such things are not sold here")
	}
	return v
}
