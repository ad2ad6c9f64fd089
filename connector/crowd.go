package connector

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// A crowd is the connections of one listener, at most so many. One more waits until somebody goes; where nobody does, those go on whose connections
// nothing moves. So a sender who is quick is answered however many hold on to connections, a burst over more of them than there is room for is answered
// one after the other, and the handles that the store and the shop need stay free. Whoever has proved who they are stays until they are answered.
type crowd struct {
	most int
	left chan struct{} // somebody has gone

	mu     sync.Mutex
	inside map[net.Conn]*guest
	line   *list.List // of the guests that may be sent away, the one that has waited longest first
}

// A guest is one connection.
type guest struct {
	conn  net.Conn
	leave context.CancelFunc // ends its requests
	place *list.Element      // in the line; nil while it stays
	moved time.Time
	crowd *crowd
}

type guestKey struct{}

func newCrowd(most int) *crowd {
	return &crowd{most: most, left: make(chan struct{}, 1), inside: map[net.Conn]*guest{}, line: list.New()}
}

// enter is http.Server.ConnContext: it lets a connection in, and another out where there is no room for both. The next is not accepted meanwhile, and
// loses nothing by it.
func (c *crowd) enter(ctx context.Context, conn net.Conn) context.Context {
	c.await()
	ctx, leave := context.WithCancel(ctx)
	g := &guest{conn: conn, leave: leave, moved: time.Now(), crowd: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inside[conn] = g
	g.place = c.line.PushBack(g)
	if len(c.inside) > c.most {
		c.out(c.line.Front().Value.(*guest)) //nolint:forcetypeassert // nothing else is in the line
	}
	return context.WithValue(ctx, guestKey{}, g)
}

// await waits for room for one more. Where nobody has gone for a second, all those go on whose connections nothing has moved for as long.
func (c *crowd) await() {
	patience := time.NewTimer(secondToSend)
	defer patience.Stop()
	for c.packed() {
		select {
		case <-c.left:
		case <-patience.C:
			c.clear(time.Now().Add(-secondToSend))
			return
		}
	}
}

func (c *crowd) packed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inside) >= c.most
}

// clear sends away who has not moved since.
func (c *crowd) clear(since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for e := c.line.Front(); e != nil; e = c.line.Front() {
		g := e.Value.(*guest) //nolint:forcetypeassert // nothing else is in the line
		if g.moved.After(since) {
			return
		}
		c.out(g)
	}
}

// dense has those who were answered go at once while the crowd is dense: their next request finds a place like any other, and nobody waits for one that
// stands idle.
func (c *crowd) dense(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		dense := len(c.inside) > c.most/2
		c.mu.Unlock()
		if dense {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
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
		g.moved = time.Now()
		c.line.MoveToBack(g.place)
	case state == http.StateIdle: // it was answered
		g.moved = time.Now()
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
	select {
	case c.left <- struct{}{}:
	default:
	}
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
