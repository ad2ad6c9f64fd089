package marketplace

import (
	"encoding/json"
	"fmt"
	"sort"
	"strings"
	"sync"
	"time"
)

// Documents are text with literals, since the types of ids and cursors are the server's own. An
// optional argument without a value is left out: to some servers an explicit null is a filter that
// matches nothing. Inputs alone are variables, so that a status may be a word or an enum.

// A part is a piece of a document and the points that it counts: each field one, and the entries of
// a connection by its first.
type part struct {
	text   string
	points float64
}

// scalars are fields without arguments, separated by spaces.
func scalars(names string) part { return part{names, float64(len(strings.Fields(names)))} }

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

// literal is a text as a GraphQL string.
func literal(s string) string {
	text, _ := json.Marshal(s) //nolint:errcheck // a string is always written
	return string(text)
}

// publication is the root field of one publication.
func publication(id string, fields part) part {
	return fields.in("publication(id:" + literal(id) + ")")
}

// entries are the entries of a connection.
func (d Dialect) entries(fields part) part {
	if d.Edges {
		return fields.in("node").in("edges")
	}
	return fields.in("nodes")
}

// connection is a page of a connection behind a cursor, "" for its first page. Without fields it is
// the page's end alone. more is further arguments, each behind a comma.
func (d Dialect) connection(name string, first int, cursor, more string, fields part) part {
	if cursor != "" {
		more = ",after:" + literal(cursor) + more
	}
	page := scalars("hasNextPage endCursor").in("pageInfo")
	if fields.text != "" {
		entries := d.entries(fields)
		page = join(page, part{entries.text, float64(first) * entries.points})
	}
	return page.in(fmt.Sprintf("%s(first:%d%s)", name, first, more))
}

const (
	largestPage  = 100       // the largest first that the specification shows
	dearMutation = 10        // what each mutation costs beyond its fields on some servers
	margin       = 1.5       // by how much more an operation may cost than is counted, while no answer tells
	mostRatio    = 10.0      // of a server's count to ours
	leastPlan    = 8         // points
	keptFor      = time.Hour // how long a refusal counts
)

// costs is one ratio for each operation: what the server asked for its last documents, by what they
// count here.
type costs struct {
	mu      sync.Mutex
	ratios  map[string]float64 // by the name of the operation
	refused time.Time          // when a query was refused as too dear last
	taught  float64            // points that one query may cost, by that refusal
	reading float64            // points that one reading in full was charged on average; 0: none was
}

func (c *costs) ratio(q request) (ratio float64, told bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ratio, told = c.ratios[q.name]; !told {
		ratio = 1
	}
	return ratio, told
}

// reserve is the points to reserve for a request. An estimate keeps no query from being sent: its
// answer tells the ratio.
func (r *Reader) reserve(q request) float64 {
	ratio, told := r.costs.ratio(q)
	if !told {
		return min(margin*q.points, r.bucket.Limit(0))
	}
	return ratio * q.points
}

// observe records what the server asked for a request. A higher ratio counts at once. A lower one
// counts step by step, since documents of one operation differ in size.
func (c *costs) observe(q request, requested float64) {
	ratio := min(requested/q.points, mostRatio)
	if last, told := c.ratio(q); told && ratio < last {
		ratio = last + (ratio-last)/4
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ratios[q.name] = ratio
}

// charged records what a reading in full was charged.
func (c *costs) charged(points float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reading == 0 {
		c.reading = points
	}
	c.reading += (points - c.reading) / 8
}

// plan is the points that one request should not exceed: what the server accepts for one query, and
// half of the bucket, so that a large request does not hold up all others.
func (r *Reader) plan() float64 {
	points := r.bucket.Limit(0) / 2
	r.costs.mu.Lock()
	defer r.costs.mu.Unlock()
	if time.Since(r.costs.refused) < keptFor {
		points = min(points, r.costs.taught)
	}
	return points
}

// lower plans for half as many points, after a refusal of a request as too dear. It does nothing
// where the refusal has told of a smaller bucket, so that less is planned already.
func (r *Reader) lower(q request) {
	ratio, _ := r.costs.ratio(q)
	plan, cost := r.plan(), ratio*q.points // as fit counts
	if plan < 0.75*cost {
		return
	}
	r.costs.mu.Lock()
	defer r.costs.mu.Unlock()
	r.costs.refused, r.costs.taught = time.Now(), max(min(plan, cost)/2, leastPlan)
}

// fit is the largest n up to most for which a request is expected to cost at most budget points, and
// at least 1.
func (r *Reader) fit(budget float64, most int, build func(n int) request) int {
	most = min(most, largestPage)
	return 1 + sort.Search(most-1, func(i int) bool {
		q := build(i + 2)
		ratio, _ := r.costs.ratio(q)
		return ratio*q.points > budget
	})
}
