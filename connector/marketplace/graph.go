package marketplace

import (
	"encoding/json"
	"fmt"
	"math"
	"sort"
	"strings"
)

// Documents are text with literals, since the types of ids and cursors are the server's own. An
// optional argument without a value is left out: to some servers an explicit null is a filter that
// matches nothing. Inputs alone are variables, so that a status may be a word or an enum.

// A part is a piece of a document and the points that it counts: each field one, times the first of
// the connections around it.
type part struct {
	text   string
	points float64
}

func scalars(names ...string) part {
	text := strings.Join(names, " ")
	return part{text, float64(len(strings.Fields(text)))}
}

// in is the part as the selection of a field, which may have arguments.
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

// entries are the entries of a connection, so many of them.
func (d Dialect) entries(n int, fields part) part {
	if d.Edges {
		fields = fields.in("node").in("edges")
	} else {
		fields = fields.in("nodes")
	}
	return part{fields.text, float64(n) * fields.points}
}

// connection is a page of so many entries behind a cursor; without fields its end alone. more is further
// arguments, each behind a comma.
func (d Dialect) connection(name string, n int, after, more string, fields part) part {
	if after != "" {
		more = ",after:" + literal(after) + more
	}
	page := scalars("hasNextPage endCursor").in("pageInfo")
	if fields.text != "" {
		page = join(page, d.entries(n, fields))
	}
	return page.in(fmt.Sprintf("%s(first:%d%s)", name, n, more))
}

// A request is one document on its way.
type request struct {
	op   string // for errors and logs
	name string // of the operation
	part        // the document
	root string // its field, "" for several
	vars map[string]any

	cursor bool // it asks for a page behind a cursor
	own    bool // its roots are publications: a denial is about these, and an error may say that one does not exist
	spare  bool // the answer may lack the listing's product

	bytes    int64  // that its answer may measure; 0: usualAnswer
	elements int    // that its answer may hold; 0: as many as its document leads to
	language string // of its Accept-Language; "": those of every request
}

// query is a request for a root field with arguments.
func query(op, name string, field part) request {
	root, _, _ := strings.Cut(field.text, "{")
	root, _, _ = strings.Cut(root, "(")
	return request{op: op, name: name, root: root, part: field.in("query " + name)}
}

// mutation is a request for a mutation, whose one argument is an input of a type.
func mutation(op, name, input, root string, made part, in map[string]any) request {
	q := request{op: op, name: name, root: root, vars: map[string]any{"in": in}}
	q.part = made.in(root + "(input:$in)").in("mutation " + name + "($in:" + input + "!)")
	q.points += dearMutation
	return q
}

const (
	largestPage  = 100  // the largest first that the specification shows
	dearMutation = 10   // points beyond its fields, which some servers charge
	firstRatio   = 1.5  // of what an operation may cost to what is counted, while no answer tells
	mostRatio    = 10.0 // of a server's count to ours
	leastPlan    = 8.0  // points
)

// cost is the points to reserve for a request: what it counts, times what the server asked for the last
// ones of its operation. It is no more than the bucket holds: the answer tells the ratio.
func (r *Reader) cost(q request) float64 {
	limit := r.bucket.Snapshot().Limit
	r.mu.Lock()
	defer r.mu.Unlock()
	ratio, told := r.ratios[q.name]
	if !told {
		ratio = firstRatio
	}
	return min(math.Ceil(ratio*q.points), limit) // whole points: a part and the rest are then exactly their sum
}

// observe records how many points the server asked for a request. Ratios rise at once and fall in steps:
// documents of one operation differ in size.
func (r *Reader) observe(q request, requested float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ratio := min(requested/q.points, mostRatio)
	if last, told := r.ratios[q.name]; told && ratio < last {
		ratio = last + (ratio-last)/4
	}
	r.ratios[q.name] = ratio
}

// plan is the points that one request should not exceed: what the server accepts, and half of the
// bucket, so that it does not hold up all others.
func (r *Reader) plan() float64 {
	points := r.bucket.Snapshot().Limit / 2
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.most > 0 {
		points = min(points, r.most)
	}
	return points
}

// lower plans for half as many points after a refusal of a request as too dear, unless less is planned
// already: several are refused together.
func (r *Reader) lower(q request) {
	cost, plan := r.cost(q), r.plan()
	if plan < 0.75*cost {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.most = max(min(plan, cost)/2, leastPlan)
}

// fit is the largest n up to most for which a request costs no more than is planned, and at least 1.
func (r *Reader) fit(most int, build func(n int) request) int {
	plan := r.plan()
	return 1 + sort.Search(min(most, largestPage)-1, func(i int) bool { return r.cost(build(i+2)) > plan })
}
