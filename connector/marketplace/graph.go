package marketplace

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Documents are text with literals, since the types of ids and cursors are the server's own. An
// optional argument without a value is left out: to some servers an explicit null is a filter that
// matches nothing. Inputs alone are variables, so that a status may be a word or an enum.

// literal is a text as a GraphQL string.
func literal(s string) string {
	text, _ := json.Marshal(s) //nolint:errcheck // a string is always written
	return string(text)
}

// connection is a page of a connection with its pageInfo; without fields it is that alone. more is
// further arguments, each behind a comma.
func (d Dialect) connection(name string, first int, more, fields string) string {
	return fmt.Sprintf("%s(first:%d%s){pageInfo{hasNextPage endCursor} %s}", name, first, more, d.entries(fields))
}

func (d Dialect) entries(fields string) string {
	if fields == "" {
		return ""
	}
	if d.Edges {
		return "edges{node{" + fields + "}}"
	}
	return "nodes{" + fields + "}"
}

// after is the argument of a page behind another one, "" for the first.
func after(cursor string) string {
	if cursor == "" {
		return ""
	}
	return ",after:" + literal(cursor)
}

// dearMutation is what each mutation costs beyond its fields on some servers.
const dearMutation = 10

// count is the points of a document as the specification counts them: each field one, and the
// entries of a connection by its first. Where scalars cost nothing, or some fields more, a server's
// count is another multiple of this one.
func count(text string) float64 {
	c := counter{text: text, at: strings.IndexByte(text, '{')}
	points := c.selection(1, 1)
	if strings.HasPrefix(text, "mutation") {
		points += dearMutation
	}
	return points
}

// A counter reads a document of this package from a brace on.
type counter struct {
	text string
	at   int
}

// selection counts the fields up to the closing brace, each so many times, and pageInfo as often as
// the connection that it is of.
func (c *counter) selection(times, connection float64) (sum float64) {
	c.at++
	for c.at < len(c.text) && c.text[c.at] != '}' {
		begin := c.at
		for c.at < len(c.text) && strings.IndexByte(" (){}", c.text[c.at]) < 0 {
			c.at++
		}
		n, first := times, 1.0
		if c.text[begin:c.at] == "pageInfo" {
			n = connection
		}
		if c.at > begin {
			sum += n
		}
		if c.at < len(c.text) && c.text[c.at] == '(' {
			first = c.arguments()
		}
		switch {
		case c.at < len(c.text) && c.text[c.at] == '{':
			sum += c.selection(n*first, n)
		case c.at < len(c.text) && c.text[c.at] == ' ':
			c.at++
		}
	}
	c.at++
	return sum
}

// arguments passes over the arguments of a field. It returns their first, 1 where there is none.
func (c *counter) arguments() (first float64) {
	begin, quoted := c.at+1, false
	for ; c.at < len(c.text) && (quoted || c.text[c.at] != ')'); c.at++ {
		switch c.text[c.at] {
		case '\\':
			c.at++
		case '"':
			quoted = !quoted
		}
	}
	args := c.text[begin:min(c.at, len(c.text))]
	c.at++
	if digits, ok := strings.CutPrefix(args, "first:"); ok {
		digits, _, _ = strings.Cut(digits, ",")
		if n, err := strconv.ParseFloat(digits, 64); err == nil {
			return n
		}
	}
	return 1
}

const (
	largestPage = 100 // the largest first that the specification shows
	// the lowest limit known of any server, in points of a query, before the server has said anything
	cautious = 400.0
	margin   = 1.5 // by how much more an operation may cost than is counted, while no answer tells
	// what a reservation with that margin takes of the bucket at most, so that none waits for a full
	// one
	marginShare = 0.6
	mostRatio   = 10.0      // of a server's count to ours
	kept        = time.Hour // for how long a refusal counts
)

// costs reserves points by one ratio for each operation: of what the server asked for its last
// documents to what they count here.
type costs struct {
	mu     sync.Mutex
	ratios map[string]float64 // by the name of the operation
	bucket float64            // points that the bucket holds; 0: not known

	refused time.Time // when a query was refused as too dear last
	taught  float64   // points that one query may cost, by that refusal

	reading float64 // points that one reading in full was charged on average; 0: none was
}

// ratio is that of an operation, and whether an answer has told it. It is called with c.mu held.
func (c *costs) ratio(operation string) (ratio float64, told bool) {
	ratio, told = c.ratios[operation]
	if !told {
		ratio = 1
	}
	return ratio, told
}

// reserve is the points to reserve for a request.
func (c *costs) reserve(q request) float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	ratio, told := c.ratio(q.name)
	points := ratio * count(q.text)
	if !told {
		points = max(points, min(margin*points, marginShare*c.bucket))
		if c.bucket > 0 { // an estimate keeps no query from being sent: its answer tells the ratio
			points = min(points, c.bucket)
		}
	}
	return points
}

// observe records what the server asked for a request. What no query of its own bucket can cost is
// not believed. A higher ratio counts at once, a lower one by and by: documents of one operation
// differ in their sizes.
func (c *costs) observe(q request, requested, limit float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if limit > 0 {
		c.bucket = limit
	}
	if !(requested > 0) || requested > limit || q.probe {
		return
	}
	ratio := min(requested/count(q.text), mostRatio)
	if last, told := c.ratio(q.name); told && ratio < last {
		ratio = last + (ratio-last)/4
	}
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

// average is the points that a reading in full was charged, 0 where there was none.
func (c *costs) average() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reading
}

// query is the points that a query may cost.
func (c *costs) query() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	query := cmp.Or(c.bucket, cautious)
	if time.Since(c.refused) < kept {
		query = min(query, c.taught)
	}
	return query
}

// lower records that a query of a cost was refused as too dear. limit is what the refusal names, 0
// for none. It reports whether a smaller one can be planned.
func (c *costs) lower(cost, limit float64) bool {
	// a figure nearer to the cost is the cost itself, as the server counts it
	if limit < cost/10 || limit > 0.75*cost {
		limit = cost / 2
	}
	taught := min(c.query(), limit)
	if taught < 8 {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused, c.taught = time.Now(), taught
	return true
}

// fit is the largest n up to most for which a document is expected to cost at most budget, and at
// least 1. A document's count is linear in n.
func (c *costs) fit(budget float64, most int, build func(n int) request) int {
	one, two := build(1), build(2)
	c.mu.Lock()
	defer c.mu.Unlock()
	ratio, _ := c.ratio(one.name)
	first := count(one.text)
	each := max(count(two.text)-first, 1e-9)
	n := 1 + (budget/ratio-first)/each
	return max(1, int(min(n, float64(most), largestPage)))
}
