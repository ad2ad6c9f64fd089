package fakeshop

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// onlyFields is value, an object or a list of objects, with the fields asked for.
func onlyFields(value any, fields string) any {
	if fields == "" {
		return value
	}
	names := strings.Split(fields, ",")
	filter := func(m map[string]any) map[string]any {
		out := map[string]any{}
		for _, name := range names {
			if v, ok := m[name]; ok {
				out[name] = v
			}
		}
		return out
	}
	switch v := value.(type) {
	case map[string]any:
		return filter(v)
	case []map[string]any:
		out := make([]map[string]any, len(v))
		for i := range v {
			out[i] = filter(v[i])
		}
		return out
	}
	return value
}

// paged is one page of a list, at most 100 long.
func paged(h http.Header, all []map[string]any, query url.Values) []map[string]any {
	per, page := 10, 1
	if n, err := strconv.Atoi(query.Get("per_page")); err == nil {
		per = n
	}
	if n, err := strconv.Atoi(query.Get("page")); err == nil {
		page = n
	}
	h.Set("X-WP-Total", strconv.Itoa(len(all)))
	h.Set("X-WP-TotalPages", strconv.Itoa((len(all)+per-1)/per))
	from := (page - 1) * per
	if n, err := strconv.Atoi(query.Get("offset")); err == nil {
		from = n
	}
	return all[min(from, len(all)):min(from+per, len(all))]
}
