package fakeshop

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// site is the address that the shop calls its own.
func (f *Shop) site() string {
	if f.home != "" {
		return f.home
	}
	return f.Base
}

// ours tells whether WordPress answers at a path at all: below its folder. What lies above is
// another site, or none.
func (f *Shop) ours(path string) bool {
	u, err := url.Parse(f.site())
	return err == nil && (strings.HasPrefix(path, u.Path+"/") || path == u.Path)
}

// showMedia is the media library as a stranger sees it: what belongs to a product that is on sale,
// and what belongs to none. Somebody who sends a key of WooCommerce's is told that there is no such
// user.
func (f *Shop) showMedia(r *http.Request) (int, any) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	query := r.URL.Query()
	if _, _, known := r.BasicAuth(); known || f.Library {
		return http.StatusUnauthorized, fail(401, "rest_forbidden", "Sorry, you are not allowed to do that.").body()
	}
	list := []map[string]any{}
	for _, id := range slices.Backward(slices.Sorted(maps.Keys(f.Media))) {
		a := f.Media[id]
		owner := f.Posts[a.Parent]
		if owner != nil && owner.Status != "publish" ||
			query.Get("parent") != "" &&
				!slices.Contains(strings.Split(query.Get("parent"), ","), strconv.FormatInt(a.Parent, 10)) {
			continue
		}
		list = append(list, map[string]any{
			"id": id, "post": a.Parent,
			"title": map[string]any{"rendered": strings.ReplaceAll(a.Name, "&", "&#038;")},
		})
	}
	return http.StatusOK, onlyFields(paged(http.Header{}, list, query), query.Get("_fields"))
}

// noisy is an answer with what PHP writes before it. By then the status is sent: it is 200 for
// every answer.
func (f *Shop) noisy(w *httptest.ResponseRecorder) *httptest.ResponseRecorder {
	if f.Notice == "" {
		return w
	}
	loud := httptest.NewRecorder()
	for name, values := range w.Header() {
		loud.Header()[name] = values
	}
	_, _ = io.WriteString(loud, f.Notice+w.Body.String())
	return loud
}
