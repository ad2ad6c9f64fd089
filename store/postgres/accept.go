package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pubsync/pubsync/store"
)

// An inbox gathers the marks that are accepted for any account. Those that come while a transaction
// is under way go into the next one. A transaction that notifies holds a lock of the whole server
// while it commits: so there is one for many marks.
type inbox struct {
	mu      sync.RWMutex // held for reading by whoever sends
	closed  bool
	waiting chan acceptance
	begin   sync.Once
	ended   chan struct{}
}

// An acceptance is what one caller of Accept waits for.
type acceptance struct {
	account string
	marks   []store.Mark
	done    chan error
}

// mostAccepted bounds how many callers share a transaction.
const mostAccepted = 256

func (i *inbox) init() { i.waiting, i.ended = make(chan acceptance, mostAccepted), make(chan struct{}) }

func (i *inbox) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return
	}
	i.closed = true
	close(i.waiting)
	i.begin.Do(func() { close(i.ended) })
	<-i.ended
}

// Accept makes publications of an account due, and needs no lease. It returns when that is durable.
// Whoever waits in Accepted is told.
func (d *Database) Accept(ctx context.Context, account string, marks ...store.Mark) error {
	if err := ctx.Err(); err != nil || len(marks) == 0 {
		return err
	}
	for _, m := range marks {
		if err := validMark(m); err != nil {
			return err
		}
	}
	a := acceptance{account, marks, make(chan error, 1)}
	d.inbox.mu.RLock()
	if d.inbox.closed {
		d.inbox.mu.RUnlock()
		return store.ErrClosed
	}
	d.inbox.begin.Do(func() { go d.gather() })
	d.inbox.waiting <- a
	d.inbox.mu.RUnlock()
	return <-a.done
}

// gather makes one transaction after another until the database is closed.
func (d *Database) gather() {
	defer close(d.inbox.ended)
	for a := range d.inbox.waiting {
		all := []acceptance{a}
		for more := true; more && len(all) < mostAccepted; {
			select {
			case next, open := <-d.inbox.waiting:
				if more = open; open {
					all = append(all, next)
				}
			default:
				more = false
			}
		}
		known, err := d.acceptAll(all)
		for _, a := range all {
			if err == nil && !known[a.account] {
				a.done <- fmt.Errorf("accept marks: account %q is not known", a.account)
				continue
			}
			a.done <- err
		}
	}
}

const (
	selectAccounts = `select name, number from account where name = any($1)`
	notify         = `select pg_notify('pubsync', $1)`
)

// acceptAll makes what several callers have marked durable, in one transaction, but for those whose
// account is not known.
func (d *Database) acceptAll(all []acceptance) (known map[string]bool, err error) {
	var names []string
	marks := map[string][]store.Mark{}
	for _, a := range all {
		if _, met := marks[a.account]; !met {
			names = append(names, a.account)
		}
		marks[a.account] = append(marks[a.account], a.marks...)
	}
	err = repeat(context.Background(), func(ctx context.Context) error {
		known = map[string]bool{}
		stores := make([]*Store, 0, len(names))
		err := d.query(ctx, func(r row) error {
			s := &Store{db: d}
			stores = append(stores, s)
			err := r.scan(&s.name, &s.account)
			known[s.name] = true
			return err
		}, selectAccounts, names)
		if err != nil || len(stores) == 0 {
			return err
		}
		read, write, works := &batch{}, &batch{}, make([]*work, len(stores))
		for i, s := range stores {
			works[i] = s.queueLoad(read, need{ids: idsOfMarks(marks[s.name]), bare: true})
		}
		if err := d.send(ctx, read); err != nil {
			return err
		}
		for i, s := range stores {
			for _, m := range marks[s.name] {
				if err := works[i].add(m.ID).merge(m); err != nil {
					return err
				}
			}
			if err := s.queue(write, works[i]); err != nil {
				return err
			}
		}
		write.queue(notify, payload(names))
		return d.send(ctx, write)
	})
	return known, err
}

// mostPayload is how many bytes a notification carries.
const mostPayload = 7999

// payload names accounts, "" for too many.
func payload(names []string) string {
	p := strings.Join(names, "\n")
	if len(p) > mostPayload {
		return ""
	}
	return p
}

const (
	listenAgain = time.Second // after the connection ended
	listenQuiet = time.Minute // without a notification: whoever listens looks at everything
)

// hintMark begins the payload of a hint. No name of an account begins with it.
const hintMark = "?"

// Hint asks whoever has the lease of an account to read its list soon.
func (d *Database) Hint(ctx context.Context, account string) error {
	return repeat(ctx, func(ctx context.Context) error { return d.query(ctx, nil, notify, hintMark+account) })
}

// Accepted has f called with the names of accounts for which marks were accepted, or which were
// hinted at, until ctx ends. A
// notification that came while the connection was away is lost. So an empty list, which stands for
// every account, is handed to f at the beginning, after each such gap, and after each minute
// without any.
func (d *Database) Accepted(ctx context.Context, f func(accounts []string, hinted bool)) {
	c := d.config.Copy()
	c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		if account, hinted := strings.CutPrefix(n.Payload, hintMark); hinted {
			f([]string{account}, true)
			return
		}
		if n.Payload == "" {
			f(nil, false)
			return
		}
		f(strings.Split(n.Payload, "\n"), false)
	}
	for {
		_ = listen(ctx, c, f) //nolint:errcheck // it is tried again until ctx ends
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
			return
		}
	}
}

// listen listens on one connection until that ends.
func listen(ctx context.Context, config *pgconn.Config, f func(accounts []string, hinted bool)) error {
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it only listened
	if _, err := c.Exec(ctx, "listen pubsync").ReadAll(); err != nil {
		return err
	}
	for f(nil, false); ; {
		quiet, cancel := context.WithTimeout(ctx, listenQuiet)
		err := c.WaitForNotification(quiet)
		cancel()
		switch {
		case err == nil:
		case ctx.Err() == nil && pgconn.Timeout(err) && !c.IsClosed():
			if err := c.Ping(ctx); err != nil {
				return err
			}
			f(nil, false)
		default:
			return err
		}
	}
}

var _ store.Leases = (*Database)(nil)
