package marketplace

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"time"
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

const (
	largestPage  = 100       // the largest first that the specification shows
	dearMutation = 10        // points beyond its fields, which some servers charge
	margin       = 1.5       // of what an operation may cost to what is counted, while no answer tells
	mostRatio    = 10.0      // of a server's count to ours
	leastPlan    = 8         // points
	leastLimit   = 50.0      // points: no answer tells of a smaller bucket
	keptFor      = time.Hour // how long a refusal as too dear counts
)

type costs struct {
	ratios  map[string]float64 // of the server's count to ours, by operation
	most    float64            // points of one query, by the last refusal of one as too dear
	refused time.Time          // when that was
}

// expected is what a request is expected to cost; told is false while no answer has said so.
func (r *Reader) expected(q request) (points float64, told bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ratio, told := r.costs.ratios[q.name]
	if !told {
		ratio = 1
	}
	return ratio * q.points, told
}

// reserve is the points to reserve for a request. An estimate is no more than the bucket holds: the
// answer tells the ratio.
func (r *Reader) reserve(q request) float64 {
	points, told := r.expected(q)
	if !told {
		points = min(margin*points, r.bucket.Snapshot().Limit)
	}
	return points
}

// observe records how many points the server asked for a request. Expectations rise at once and fall
// in steps: documents of one operation differ in size.
func (r *Reader) observe(q request, requested float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ratio := min(requested/q.points, mostRatio)
	if last, told := r.costs.ratios[q.name]; told && ratio < last {
		ratio = last + (ratio-last)/4
	}
	r.costs.ratios[q.name] = ratio
}

// plan is the points that one request should not exceed: what the server accepts, and half of the
// bucket, so that it does not hold up all others.
func (r *Reader) plan() float64 {
	points := r.bucket.Snapshot().Limit / 2
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.costs.refused) < keptFor {
		points = min(points, r.costs.most)
	}
	return points
}

// lower plans for half as many points for an hour, after a refusal of a request as too dear, unless
// the refusal has told of a smaller bucket, so that less is planned already.
func (r *Reader) lower(q request) {
	cost, _ := r.expected(q)
	plan := r.plan()
	if plan < 0.75*cost {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.costs.most, r.costs.refused = max(min(plan, cost)/2, leastPlan), time.Now()
}

// fit is the largest n up to most for which a request costs no more than is planned, and at least 1.
func (r *Reader) fit(most int, build func(n int) request) int {
	plan := r.plan()
	return 1 + sort.Search(min(most, largestPage)-1, func(i int) bool {
		points, _ := r.expected(build(i + 2))
		return points > plan
	})
}
