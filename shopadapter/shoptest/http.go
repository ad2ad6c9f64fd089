package shoptest

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// ServeHTTP is the shop as an endpoint of the http protocol, without a token.
func (s *Shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	escaped, _ := strings.CutPrefix(r.URL.EscapedPath(), "/products/")
	id, err := url.PathUnescape(escaped)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c := Call{ID: shopadapter.PublicationID(id)}
	switch {
	case r.URL.Path == "/health":
		s.answer(w, r, Call{Method: Check}, s.health)
	case r.URL.Path == "/products" && s.able().Lists:
		s.answer(w, r, Call{Method: List}, func(Reply) (int, any) { return s.list(r.URL.Query()) })
	case r.Method == http.MethodPut:
		var body struct {
			shopadapter.Product
			Changed, Reset shopadapter.Fields
			Revive         bool
		}
		if !read(w, r, &body) {
			return
		}
		c.Method, c.Product, c.Changed = Publish, body.Product, body.Changed
		c.Ref.Reset, c.Ref.Revive = body.Reset, body.Revive
		again := r.Header.Get("Pubsync-Recreate") == "true"
		s.answer(w, r, c, func(v Reply) (int, any) { return s.put(c, v, again) })
	case r.Method == http.MethodPatch && s.able().Figures:
		var body struct {
			Variants []shopadapter.Variant
			Changed  shopadapter.Fields
		}
		if !read(w, r, &body) {
			return
		}
		c.Method, c.Product.Variants, c.Changed = Figures, body.Variants, body.Changed
		s.answer(w, r, c, func(v Reply) (int, any) { return s.patch(c, v) })
	case r.Method == http.MethodDelete:
		c.Method = Remove
		if r.URL.Query().Get("mode") == shopadapter.Delete.String() {
			c.How = shopadapter.Delete
		}
		s.answer(w, r, c, func(Reply) (int, any) {
			s.remove(c.ID, c.How)
			return http.StatusNoContent, nil
		})
	default:
		http.NotFound(w, r)
	}
}

func read(w http.ResponseWriter, r *http.Request, into any) bool {
	err := json.NewDecoder(r.Body).Decode(into)
	if err != nil {
		refuse(w, Reply{Err: shopadapter.Retry("%w", err), Status: http.StatusBadRequest})
	}
	return err == nil
}

func (s *Shop) answer(w http.ResponseWriter, r *http.Request, c Call, do func(Reply) (status int, body any)) {
	v := s.enter(c)
	if kit.Pause(r.Context(), v.Wait) != nil {
		return
	}
	if v.Err != nil || v.Status >= http.StatusMultipleChoices {
		refuse(w, v)
		return
	}
	if v.Cut == Before {
		panic(http.ErrAbortHandler)
	}
	status, body := do(v)
	if v.Cut != Whole {
		panic(http.ErrAbortHandler)
	}
	if v.Status != 0 {
		status = v.Status
	}
	if body == nil {
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// refuse answers with an error whose status says who can mend it.
func refuse(w http.ResponseWriter, v Reply) {
	e, status := shopadapter.Explain(v.Err), v.Status
	if e == nil {
		e = shopadapter.Retry("%s", http.StatusText(status))
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(e.RetryAfter/time.Second)))
	}
	if status == 0 {
		status = map[shopadapter.Kind]int{
			shopadapter.Rejected: http.StatusUnprocessableEntity, shopadapter.Blocked: http.StatusForbidden,
			shopadapter.Transient: http.StatusServiceUnavailable,
		}[e.Kind]
	}
	if errors.Is(v.Err, shopadapter.ErrGone) {
		status = http.StatusGone
	} else if e.Limited {
		status = http.StatusTooManyRequests
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"title": "no", "detail": e.Error(), "deleted": status == http.StatusGone})
}

func (s *Shop) health(Reply) (int, any) {
	can := s.able()
	said := map[string]any{"figures": can.Figures, "observed": can.Observes, "drafts": can.Drafts}
	if can.Currency != "" {
		said["currency"] = can.Currency
	}
	return http.StatusOK, said
}

// put writes a product. One deleted by hand comes back only if again is set.
func (s *Shop) put(c Call, v Reply, again bool) (int, any) {
	if s.deleted(c.ID) && !again {
		return http.StatusGone, map[string]any{"deleted": true}
	}
	return http.StatusOK, listed(s.write(c, v))
}

func (s *Shop) deleted(id shopadapter.PublicationID) (is bool) {
	s.with(func() { is = s.products[id] != nil && s.products[id].Deleted })
	return is
}

func (s *Shop) patch(c Call, v Reply) (int, any) {
	if s.deleted(c.ID) {
		return http.StatusGone, map[string]any{"deleted": true}
	}
	l, err := s.figures(c, v)
	if err != nil {
		return http.StatusConflict, map[string]any{"detail": err.Error()}
	}
	return http.StatusOK, listed(l)
}

func listed(l shopadapter.Listing) map[string]any {
	missing := []map[string]any{}
	for _, p := range l.Missing {
		missing = append(missing, map[string]any{"url": p.URL, "reason": p.Reason, "later": p.Later})
	}
	return map[string]any{
		"id": l.ID, "url": l.URL, "variants": l.ShopIDs(), "refused": l.Refused, "kept": l.Kept, "draft": l.Draft,
		"missing": missing,
	}
}

func (s *Shop) list(query url.Values) (int, any) {
	rows := []map[string]any{}
	can := s.able()
	for _, o := range s.standing() {
		id := string(o.Ref.Publication)
		if query.Has("publication") && query.Get("publication") != id {
			continue
		}
		row := map[string]any{
			"publication": o.Ref.Publication, "id": o.Ref.Listing, "url": o.URL, "onSale": o.OnSale,
		}
		if can.Observes {
			variants := []map[string]any{}
			for _, v := range o.Variants {
				variants = append(variants, map[string]any{
					"id": v.ID, "sku": v.SKU, "price": v.Price, "quantity": v.Quantity, "backorders": v.Backorders,
					"onSale": v.OnSale,
				})
			}
			row["variants"], row["images"], row["edited"] = variants, o.Images, o.Edited
		}
		rows = append(rows, row)
	}
	return http.StatusOK, map[string]any{"products": rows}
}
