package connector

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
)

// A crowd is the connections of one listener, at most so many. Where one more comes, the one that has waited longest goes: a sender who is quick is
// answered however many hold on to connections on which nothing moves, and the handles that the store and the shop need stay free. Whoever has
// proved who they are stays until they are answered.
type crowd struct {
	most int

	mu     sync.Mutex
	inside map[net.Conn]*guest
	line   *list.List // of the guests that may be sent away, the one that has waited longest first
}

// A guest is one connection.
type guest struct {
	conn  net.Conn
	leave context.CancelFunc // ends its requests
	place *list.Element      // in the line; nil while it stays
	crowd *crowd
}

type guestKey struct{}

func newCrowd(most int) *crowd {
	return &crowd{most: most, inside: map[net.Conn]*guest{}, line: list.New()}
}

// enter is http.Server.ConnContext: it lets a connection in, and another out where there is no room for both.
func (c *crowd) enter(ctx context.Context, conn net.Conn) context.Context {
	ctx, leave := context.WithCancel(ctx)
	g := &guest{conn: conn, leave: leave, crowd: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside[conn] = g
	g.place = c.line.PushBack(g)
	if len(c.inside) > c.most {
		c.out(c.line.Front().Value.(*guest)) //nolint:forcetypeassert // nothing else is in the line
	}
	return context.WithValue(ctx, guestKey{}, g)
}

// moved is http.Server.ConnState: a connection on which something moves goes to the end of the line.
func (c *crowd) moved(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.inside[conn]
	switch {
	case g == nil || state == http.StateNew:
	case state == http.StateClosed || state == http.StateHijacked:
		c.out(g)
	case g.place != nil:
		c.line.MoveToBack(g.place)
	case state == http.StateIdle: // it was answered
		g.place = c.line.PushBack(g)
	}
}

// out ends a connection. The caller holds mu.
func (c *crowd) out(g *guest) {
	delete(c.inside, g.conn)
	if g.place != nil {
		c.line.Remove(g.place)
		g.place = nil
	}
	g.leave()
	_ = g.conn.Close() //nolint:errcheck // nothing more is said to it
}

// disperse sends all away who do not stay.
func (c *crowd) disperse() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.line.Len() > 0 {
		c.out(c.line.Front().Value.(*guest)) //nolint:forcetypeassert // nothing else is in the line
	}
}

// stay keeps the connection of a request until it is answered: who sent it is known.
func stay(r *http.Request) {
	g, ok := r.Context().Value(guestKey{}).(*guest)
	if !ok {
		return
	}
	g.crowd.mu.Lock()
	defer g.crowd.mu.Unlock()
	if g.place != nil {
		g.crowd.line.Remove(g.place)
		g.place = nil
	}
}
