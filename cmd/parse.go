package cmd

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// A fault is what is wrong with one variable. It never shows a value.
type fault struct {
	variable string // with its prefix
	text     string
}

func (f *fault) Error() string { return f.variable + ": " + f.text }

// faultOf is a fault of the variable with this full name.
func faultOf(variable, format string, args ...any) error {
	return &fault{variable, fmt.Sprintf(format, args...)}
}

// A parser collects faults.
type parser struct{ faults []error }

func (r *parser) fault(name, format string, args ...any) {
	r.faults = append(r.faults, faultOf(envPrefix+name, format, args...))
}

func (r *parser) require(name, value, what string) {
	if value == "" {
		r.fault(name, "is required: %s", what)
	}
}

func (r *parser) decimal(name, value string, least int64) decimal.Decimal {
	d, err := decimal.NewFromString(value)
	switch {
	case value == "":
		return decimal.Zero
	case err != nil || len(value) > 20 || d.Exponent() > 6:
		r.fault(name, "is not a number such as 12.5")
	case d.LessThan(decimal.NewFromInt(least)):
		r.fault(name, "is below %d", least)
	}
	return d
}

func (r *parser) integer(name, value string, least, most int) int {
	n, err := strconv.Atoi(value)
	if err != nil || n < least || n > most {
		r.fault(name, "is not a whole number from %d to %d", least, most)
		return least
	}
	return n
}

func (r *parser) span(name, value string, least time.Duration) time.Duration {
	d, err := time.ParseDuration(value)
	if err != nil || d < least {
		r.fault(name, "is not a span of at least %s such as 24h or 90m", least)
	}
	return d
}

func (r *parser) choice(name, value string, of ...string) string {
	if !slices.Contains(of, value) {
		r.fault(name, "is not one of %s", strings.Join(of, ", "))
	}
	return value
}

// currency reads the code of a currency, in upper case. What is none is a fault, and "".
func (r *parser) currency(name, value string) string {
	code, ok := shopadapter.CurrencyCode(value)
	if value != "" && !ok {
		r.fault(name, "is not the code of a currency such as EUR")
	}
	return code
}

func (r *parser) address(name, value string) {
	if value == "" {
		return
	}
	_, port, err := net.SplitHostPort(value)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		r.fault(name, "is not an address such as 127.0.0.1:9464 or :8080")
	}
}

// events reads the names of webhook events, each once.
func (r *parser) events(name, value string) (events []string) {
	for _, event := range list(value) {
		if strings.Trim(strings.ToLower(event), "abcdefghijklmnopqrstuvwxyz0123456789_.-/") != "" || len(event) > 100 {
			r.fault(name, "is not a list of events such as PUBLICATION_CREATED,PRODUCT_UPDATED")
			return nil
		}
		if !slices.ContainsFunc(events, func(e string) bool { return marketplace.SameEvent(e, event) }) {
			events = append(events, event)
		}
	}
	if len(events) == 0 {
		r.fault(name, "names no event")
	}
	return events
}

func (r *parser) webAddress(name, value string) *url.URL {
	if value == "" {
		return nil
	}
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil {
		r.fault(name, "is not an absolute http(s) address without a user name in it")
		return nil
	}
	return u
}

// schedule parses a cron expression. The library panics on some malformed time zones, accepts dates that never come and takes every @every below a
// second for one second.
func (r *parser) schedule(name, value string) (s cron.Schedule) {
	defer func() {
		if recover() != nil {
			r.fault(name, "is not a cron expression such as */5 * * * * or @every 5m")
			s = nil
		}
	}()
	s, err := cron.ParseStandard(value)
	if err != nil {
		r.fault(name, "is not a cron expression such as */5 * * * * or @every 5m")
		return nil
	}
	if every, ok := strings.CutPrefix(value, "@every "); ok {
		if d, err := time.ParseDuration(strings.TrimSpace(every)); err != nil || d < time.Second {
			r.fault(name, "is more often than once a second")
			return nil
		}
	}
	if s.Next(time.Now().UTC()).IsZero() {
		r.fault(name, "never comes")
		return nil
	}
	return s
}

func loopbackAddress(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return true // the fault is another
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// list splits at commas and leaves out what is empty.
func list(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}
