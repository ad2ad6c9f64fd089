package setup

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/fleet"
	"github.com/pubsync/pubsync/store"
)

// A row is an account in the list of accounts.
type row struct {
	fleet.Standing
	Owner        string              `json:"owner,omitempty"` // the machine of the process that has it
	Publications map[store.State]int `json:"publications,omitempty"`
	Due          int                 `json:"due"`
	Outbox       int                 `json:"outbox"`
	Paused       []string            `json:"paused,omitempty"`  // why the shop or the marketplace is paused
	Refused      []string            `json:"refused,omitempty"` // the sides that refuse credentials or an address
}

// rowsLast is the least time for which the rows of this process are used again, and rowsShare the
// least share of all time in which it makes none.
const (
	rowsLast  = 2 * time.Second
	rowsShare = 19
	rowsWait  = 5 * time.Second // what the stores have told by then is shown
)

// rows are the accounts that this process works on, as they stood a moment ago.
type rows struct {
	mu    sync.Mutex // held while rows are made, so that many readers cost what one does
	all   []row
	until time.Time
}

// ours is the rows of the accounts of this process.
func (h *house) ours(ctx context.Context) []row {
	h.rows.mu.Lock()
	defer h.rows.mu.Unlock()
	if begun := time.Now(); begun.After(h.rows.until) {
		ctx, cancel := context.WithTimeout(ctx, rowsWait)
		defer cancel()
		h.rows.all = h.makeRows(ctx)
		h.rows.until = time.Now().Add(max(rowsLast, rowsShare*time.Since(begun)))
	}
	return h.rows.all
}

// makeRows asks the store of each account that is worked on here. A store in a database remembers
// these answers until something happens to the account.
func (h *house) makeRows(ctx context.Context) (all []row) {
	for _, s := range h.fleet.Standings() {
		t := h.at(s.Name)
		r := row{Standing: asSeen(s, t != nil)}
		if s.State != fleet.Elsewhere {
			r.Owner = h.owner.Host
		}
		if t != nil {
			h.fill(ctx, &r, t)
		}
		all = append(all, r)
	}
	return all
}

// fill adds what the worker of an account and its store tell.
func (h *house) fill(ctx context.Context, r *row, t *tenant) {
	counts, err := t.store.Counts(ctx)
	if err == nil {
		var b store.Backlog
		b, err = t.store.Backlog(ctx, store.At(time.Now()))
		r.Publications, r.Due, r.Outbox = counts, b.Due, b.Owed
	}
	if err != nil {
		r.Error = t.Redact(err.Error())
	}
	for name, p := range t.worker.Pauses() {
		r.Paused = append(r.Paused, name+": "+t.Redact(p.Reason))
		if p.Refused {
			r.Refused = append(r.Refused, name+" refuses")
		}
	}
	slices.Sort(r.Paused)
	slices.Sort(r.Refused)
}

// peerRows bounds the time that another process has for its rows.
const peerRows = 3 * time.Second

// everywhere is the rows of all accounts: those of other processes are asked of these.
func (h *house) everywhere(ctx context.Context) []row {
	own := h.ours(ctx)
	ctx, cancel := context.WithTimeout(ctx, peerRows)
	defer cancel()
	var mu sync.Mutex
	theirs, silent := map[string]row{}, false
	var peers sync.WaitGroup
	for _, note := range h.fleet.Others() {
		peers.Go(func() {
			rows := h.rowsOf(ctx, ownerIn(note))
			mu.Lock()
			defer mu.Unlock()
			silent = silent || rows == nil
			for _, r := range rows {
				if r.State != fleet.Elsewhere {
					theirs[r.Name] = r
				}
			}
		})
	}
	peers.Wait()
	all := slices.Clone(own)
	for i, r := range all {
		if r.State != fleet.Elsewhere {
			continue
		}
		if t, told := theirs[r.Name]; told {
			all[i] = t
		} else if silent {
			all[i].Owner = "another process"
		}
	}
	return all
}

// longestRows bounds the answer of another process, in bytes.
const longestRows = 16 << 20

// rowsOf asks another process for its rows. It returns nil for one that does not answer: what it
// works on is shown as elsewhere.
func (h *house) rowsOf(ctx context.Context, o owner) []row {
	peer := h.adminOf(o)
	if peer == "" {
		return nil
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+peer+accountsPath, nil)
	if err != nil {
		return nil
	}
	r.Header.Set(forwardedHeader, "true")
	if h.AdminToken != "" {
		r.Header.Set("Authorization", "Bearer "+h.AdminToken)
	}
	res, err := h.peers.Transport.RoundTrip(r)
	if err != nil {
		return nil
	}
	defer res.Body.Close() //nolint:errcheck // only read
	var list struct{ Accounts []row }
	if res.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(res.Body, longestRows)).Decode(&list) != nil {
		return nil
	}
	return list.Accounts
}

const accountsPath = "/api/v1/accounts"

// api serves the list of accounts. What there is of one account is below its path.
func (h *house) api(w http.ResponseWriter, r *http.Request) {
	if strings.TrimSuffix(r.URL.Path, "/") != accountsPath || r.Method != http.MethodGet {
		http.Error(w, "there are several accounts: ask below /accounts/{name}/api/v1/, of which "+accountsPath+
			" has the names", http.StatusNotFound)
		return
	}
	all := h.ours
	if r.Header.Get(forwardedHeader) == "" {
		all = h.everywhere
	}
	ctx := context.WithoutCancel(r.Context()) // others wait for the same rows
	w.Header().Set("Content-Type", "application/json")
	rows := append([]row{}, all(ctx)...)
	_ = json.NewEncoder(w).Encode(map[string]any{"accounts": rows}) //nolint:errcheck // the client has gone
}
