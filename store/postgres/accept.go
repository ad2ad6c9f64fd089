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
	selectAccounts = `select name, number, ` + selectClock + ` from account where name = any($1)`
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
		stores, begun := make([]*Store, 0, len(names)), time.Now()
		err := d.query(ctx, func(r row) error {
			s := &Store{db: d}
			stores = append(stores, s)
			var base int64
			err := r.scan(&s.name, &s.account, &base)
			d.clock.saw(begun, base)
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
	d.changed(names...)
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
	pollEvery   = time.Minute // between two looks at which accounts have something to do
)

// hintMark begins the payload of a hint. No name of an account begins with it.
const hintMark = "?"

// Hint asks whoever has the lease of an account to read its list soon.
func (d *Database) Hint(ctx context.Context, account string) error {
	return repeat(ctx, func(ctx context.Context) error { return d.query(ctx, nil, notify, hintMark+account) })
}

// Accepted has f called with the names of accounts for which marks were accepted, or which were
// hinted at, until ctx ends. A notification that came while the connection was away is lost. So an
// empty list, which stands for every account, is handed to f at the beginning and after each such
// gap. Each minute f is called with the accounts of open stores that have publications which are
// due.
func (d *Database) Accepted(ctx context.Context, f func(accounts []string, hinted bool)) {
	c := d.config.Copy()
	c.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		if account, hinted := strings.CutPrefix(n.Payload, hintMark); hinted {
			f([]string{account}, true)
			return
		}
		if n.Payload == "" {
			d.changed()
			f(nil, false)
			return
		}
		names := strings.Split(n.Payload, "\n")
		d.changed(names...)
		f(names, false)
	}
	for {
		_ = d.listen(ctx, c, f) //nolint:errcheck // it is tried again until ctx ends
		select {
		case <-time.After(listenAgain):
		case <-ctx.Done():
			return
		}
	}
}

// listen listens on one connection until that ends.
func (d *Database) listen(ctx context.Context, config *pgconn.Config, f func(accounts []string, hinted bool)) error {
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer c.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it only listened
	if _, err := c.Exec(ctx, "listen pubsync").ReadAll(); err != nil {
		return err
	}
	d.changed()
	d.listeners.Add(1)
	defer d.listeners.Add(-1)
	f(nil, false)
	for poll := time.Now().Add(pollEvery); ; {
		quiet, cancel := context.WithDeadline(ctx, poll)
		err := c.WaitForNotification(quiet)
		cancel()
		switch {
		case err == nil:
		case ctx.Err() == nil && pgconn.Timeout(err) && !c.IsClosed():
			if err := ping(ctx, c); err != nil {
				return err
			}
			waiting, err := d.waiting(ctx)
			if err != nil {
				return err
			}
			if len(waiting) > 0 {
				d.changed(waiting...)
				f(waiting, false)
			}
			poll = time.Now().Add(pollEvery)
		default:
			return err
		}
	}
}

const selectWaiting = `
	select a.name from unnest($1::integer[]) as o(number) join account a on a.number = o.number
	where exists (
		select from generate_series(0, $3::smallint - 1) as c(class) cross join lateral (
			select from mark m where m.account = o.number and m.class = c.class and m.at <= $2 limit 1) d)
	or exists (select from mark m where m.account = o.number and m.hint <= $2)`

// waiting is the accounts of open stores that have publications which are due: one statement for
// all.
func (d *Database) waiting(ctx context.Context) (names []string, err error) {
	now := column(moved(store.At(time.Now()), d.clock.ahead()))
	err = repeat(ctx, func(ctx context.Context) error {
		names = nil
		return d.query(ctx, func(r row) error {
			var name string
			err := r.scan(&name)
			names = append(names, name)
			return err
		}, selectWaiting, d.numbers(), now, int16(store.Classes))
	})
	return names, err
}

var _ store.Leases = (*Database)(nil)
