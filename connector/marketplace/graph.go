package marketplace

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"
)

// Documents have literals, since servers type ids and cursors differently. Optional arguments are left out: to some
// servers an explicit null matches nothing. Inputs are variables, so that a status may be a string or an enum.

// A part is a piece of a document. Each field counts a point, times the first of the connections around it.
type part struct {
	text   string
	points float64
}

func scalars(names ...string) part {
	text := strings.Join(names, " ")
	return part{text, float64(len(strings.Fields(text)))}
}

// in makes the part the selection of a field.
func (p part) in(field string) part { return part{field + "{" + p.text + "}", 1 + p.points} }

func join(parts ...part) (whole part) {
	for _, p := range parts {
		if whole.text != "" && p.text != "" {
			whole.text += " "
		}
		whole.text += p.text
		whole.points += p.points
	}
	return whole
}

func literal(s string) string {
	text, _ := json.Marshal(s) //nolint:errcheck // a string is always written
	return string(text)
}

func publication(id string, fields part) part {
	return fields.in("publication(id:" + literal(id) + ")")
}

func (d Dialect) entries(n int, fields part) part {
	if d.Edges {
		fields = fields.in("node").in("edges")
	} else {
		fields = fields.in("nodes")
	}
	return part{fields.text, float64(n) * fields.points}
}

// connection selects a page of n entries; without fields only its end. more is arguments after a comma.
func (d Dialect) connection(name string, n int, after, more string, fields part) part {
	if after != "" {
		more = ",after:" + literal(after) + more
	}
	page := scalars("hasNextPage endCursor").in("pageInfo")
	page.points *= float64(n) // the specification multiplies all that is in a connection
	if fields.text != "" {
		page = join(page, d.entries(n, fields))
	}
	return page.in(fmt.Sprintf("%s(first:%d%s)", name, n, more))
}

type request struct {
	op   string // for errors and logs
	name string
	part
	root string // its field; "": none is read
	vars map[string]any

	cursor bool
	own    bool // its root is a publication, which may be denied or absent
	spare  bool // the answer may lack the listing's product

	bytes    int64  // of the answer at most; 0: usualAnswer
	elements int    // of the answer at most; 0: by its points
	language string // of its Accept-Language; "": those of every request
}

func query(op, name string, field part) request {
	root, _, _ := strings.Cut(field.text, "{")
	root, _, _ = strings.Cut(root, "(")
	return request{op: op, name: name, root: root, part: field.in("query " + name)}
}

// mutation makes a request with one input, whose answer shows made.
func mutation(op, name, input, root string, made part, in map[string]any) request {
	q := request{op: op, name: name, root: root, vars: map[string]any{"in": in}}
	q.part = made.in(root + "(input:$in)").in("mutation " + name + "($in:" + input + "!)")
	q.points += dearMutation
	return q
}

const (
	largestPage  = 100  // the largest first that the specification shows
	dearMutation = 10   // beyond its fields: some servers charge these
	firstRatio   = 1.5  // of cost to points, before an answer tells
	mostRatio    = 10.0 // of the same
	leastPlan    = 8.0
	leastLimit   = 50.0 // points: a smaller limit is not believed
)

// cost returns the points to reserve, by the ratio of the operation's last answers. The next answer corrects it.
func (r *Reader) cost(q request) float64 {
	limit := r.bucket.Snapshot().Limit
	r.mu.Lock()
	defer r.mu.Unlock()
	ratio, told := r.ratios[q.name]
	if !told {
		ratio = firstRatio
	}
	return min(math.Ceil(ratio*q.points), limit) // whole points add up exactly
}

// observe raises a ratio at once and lowers it in steps: documents of one operation differ in size.
func (r *Reader) observe(q request, requested float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ratio := min(requested/q.points, mostRatio)
	if last, told := r.ratios[q.name]; told && ratio < last {
		ratio = last + (ratio-last)/4
	}
	r.ratios[q.name] = ratio
}

// plan returns the most points of one request: what the server accepts, at most half of the bucket, so that others
// get through.
func (r *Reader) plan() float64 {
	points := r.bucket.Snapshot().Limit / 2
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most > 0 {
		points = min(points, r.most)
	}
	return points
}

// lower halves the plan after a request was too dear, once for several that are refused together.
func (r *Reader) lower(q request) {
	cost, plan := r.cost(q), r.plan()
	if plan < 0.75*cost {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.most = max(min(plan, cost)/2, leastPlan)
}

// fit returns the largest n up to most whose request costs no more than planned, and at least 1.
func (r *Reader) fit(most int, build func(n int) request) int {
	plan := r.plan()
	return 1 + sort.Search(min(most, largestPage)-1, func(i int) bool { return r.cost(build(i+2)) > plan })
}
