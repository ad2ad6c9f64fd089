package listener

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// quiet is how long nothing must happen on a connection before it may be closed to make room. A
// quick sender is done within that time.
const quiet = time.Second

// A connLimiter bounds the open connections of one socket. At the limit, the next connection waits
// until one is closed. Where none is closed for a second, the connLimiter closes the connections
// that were quiet for as long. So a quick sender is answered even when others hold on to many
// connections, a burst is answered one after the other, and file handles stay free for the store
// and the shop. Up to kept authenticated connections are not closed before they are answered.
type connLimiter struct {
	most   int
	kept   int           // authenticated connections that are not closed to make room
	closed chan struct{} // signals that a connection was closed

	mu        sync.Mutex
	open      map[net.Conn]*limitedConn
	evictable *list.List // those that may be closed to make room, the longest quiet one first
}

// A limitedConn is one connection.
type limitedConn struct {
	conn    net.Conn
	cancel  context.CancelFunc // ends its requests
	element *list.Element      // in evictable; nil while the connection is kept
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

// admit is http.Server.ConnContext: it admits a connection, and closes another where there is no
// room for both. The server accepts no connection meanwhile; further ones wait in the system's
// queue.
func (l *connLimiter) admit(ctx context.Context, conn net.Conn) context.Context {
	l.waitForRoom()
	ctx, cancel := context.WithCancel(ctx)
	c := &limitedConn{conn: conn, cancel: cancel, active: time.Now(), limiter: l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[conn] = c
	c.element = l.evictable.PushBack(c)
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

// closeWhenBusy closes each connection after its answer while the limiter is more than half full,
// so that no idle connection counts against the limit then.
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

// changed is http.Server.ConnState: a connection on which something happens becomes the last to be
// closed.
func (l *connLimiter) changed(conn net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.open[conn]
	switch {
	case c == nil || state == http.StateNew:
	case state == http.StateClosed || state == http.StateHijacked:
		l.drop(c)
	case c.element != nil:
		c.active = time.Now()
		l.evictable.MoveToBack(c.element)
	case state == http.StateIdle: // it was answered
		c.active = time.Now()
		c.element = l.evictable.PushBack(c)
	}
}

// drop closes a connection. The caller holds mu.
func (l *connLimiter) drop(c *limitedConn) {
	delete(l.open, c.conn)
	if c.element != nil {
		l.evictable.Remove(c.element)
		c.element = nil
	}
	c.cancel()
	_ = c.conn.Close() //nolint:errcheck // it is given up
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

// Keep keeps the connection of an authenticated request until it is answered. Where the limit of
// kept connections is reached, it may be closed like any other. Keep does nothing for a request
// that came through no connection limiter.
func Keep(r *http.Request) {
	c, ok := r.Context().Value(limitedConnKey{}).(*limitedConn)
	if !ok {
		return
	}
	l := c.limiter
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.element != nil && len(l.open)-l.evictable.Len() < l.kept {
		l.evictable.Remove(c.element)
		c.element = nil
	}
}
