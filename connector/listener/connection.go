package listener

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// quiet is for how long nothing happens on a connection that may be closed to make room. A quick
// sender is done within it.
const quiet = time.Second

// A connLimiter bounds the open connections of one socket. Where all places are taken, the next
// connection waits until one is closed. Where none is closed for a second, it closes the
// connections that were quiet for as long. So a quick sender is answered however many others hold
// on to connections, a burst is answered one after the other, and the file handles that the store
// and the shop need stay free. A connection whose sender is authenticated is not closed before it
// is answered, up to a number of them.
type connLimiter struct {
	most   int
	kept   int           // that are not closed to make room
	closed chan struct{} // signals that one was closed

	mu        sync.Mutex
	open      map[net.Conn]*limitedConn
	evictable *list.List // of those that may be closed to make room, the one that was quiet longest first
}

// A limitedConn is one connection.
type limitedConn struct {
	conn    net.Conn
	cancel  context.CancelFunc // ends its requests
	place   *list.Element      // in evictable; nil while it is kept
	active  time.Time          // when something last happened on it
	limiter *connLimiter
}

type limitedConnKey struct{}

func newConnLimiter(most int) *connLimiter {
	return &connLimiter{
		most:      most,
		kept:      most,
		closed:    make(chan struct{}, 1),
		open:      map[net.Conn]*limitedConn{},
		evictable: list.New(),
	}
}

// admit is http.Server.ConnContext: it takes a connection in, and closes another where there is no
// room for both. The server accepts no other connection meanwhile; it waits in the system's queue.
func (l *connLimiter) admit(ctx context.Context, conn net.Conn) context.Context {
	l.waitForRoom()
	ctx, cancel := context.WithCancel(ctx)
	c := &limitedConn{conn: conn, cancel: cancel, active: time.Now(), limiter: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[conn] = c
	c.place = l.evictable.PushBack(c)
	if len(l.open) > l.most {
		l.drop(l.evictable.Front().Value.(*limitedConn)) //nolint:forcetypeassert // nothing else is in the list
	}
	return context.WithValue(ctx, limitedConnKey{}, c)
}

// waitForRoom waits until there is room for one more connection. Where none is closed for a second,
// it closes those that were quiet for as long.
func (l *connLimiter) waitForRoom() {
	patience := time.NewTimer(quiet)
	defer patience.Stop()
	for l.full() {
		select {
		case <-l.closed:
		case <-patience.C:
			l.dropQuiet(time.Now().Add(-quiet))
			return
		}
	}
}

func (l *connLimiter) full() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.open) >= l.most
}

// dropQuiet closes the connections on which nothing happened since a time.
func (l *connLimiter) dropQuiet(since time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for e := l.evictable.Front(); e != nil; e = l.evictable.Front() {
		c := e.Value.(*limitedConn) //nolint:forcetypeassert // nothing else is in the list
		if c.active.After(since) {
			return
		}
		l.drop(c)
	}
}

// closeWhenBusy has each connection closed after its answer while more than half of the places are
// taken: no place is taken by an idle connection then.
func (l *connLimiter) closeWhenBusy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		busy := len(l.open) > l.most/2
		l.mu.Unlock()
		if busy {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// noteState is http.Server.ConnState: a connection on which something happens becomes the last to
// be closed.
func (l *connLimiter) noteState(conn net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.open[conn]
	switch {
	case c == nil || state == http.StateNew:
	case state == http.StateClosed || state == http.StateHijacked:
		l.drop(c)
	case c.place != nil:
		c.active = time.Now()
		l.evictable.MoveToBack(c.place)
	case state == http.StateIdle: // it was answered
		c.active = time.Now()
		c.place = l.evictable.PushBack(c)
	}
}

// drop closes a connection. The caller holds mu.
func (l *connLimiter) drop(c *limitedConn) {
	delete(l.open, c.conn)
	if c.place != nil {
		l.evictable.Remove(c.place)
		c.place = nil
	}
	c.cancel()
	_ = c.conn.Close() //nolint:errcheck // nothing more is said to it
	select {
	case l.closed <- struct{}{}:
	default:
	}
}

// dropEvictable closes all connections that are not kept.
func (l *connLimiter) dropEvictable() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.evictable.Len() > 0 {
		l.drop(l.evictable.Front().Value.(*limitedConn)) //nolint:forcetypeassert // nothing else is in the list
	}
}

// Keep keeps the connection of an authenticated request until it is answered. Where as many are
// kept as may be, it may be closed like any other. A request that came through no connection
// limiter needs no keeping.
func Keep(r *http.Request) {
	c, ok := r.Context().Value(limitedConnKey{}).(*limitedConn)
	if !ok {
		return
	}
	l := c.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.place != nil && len(l.open)-l.evictable.Len() < l.kept {
		l.evictable.Remove(c.place)
		c.place = nil
	}
}
