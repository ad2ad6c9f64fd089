package config

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

type alertMail struct{ *url.URL } // nil: none

func (a *alertMail) EnvDecode(_ context.Context, s string) error {
	u, err := url.Parse(s)
	if err != nil {
		u = &url.URL{}
	}
	a.URL = u
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil || u.Scheme != "smtp" || u.Hostname() == "" || len(query["from"]) != 1 || len(query["to"]) == 0 {
		return errors.New("is not of the form smtp://user:password@host:port/?from=a@shop.example&to=b@shop.example")
	}
	if _, err := mail.ParseAddressList(strings.Join(append(query["to"], query["from"]...), ",")); err != nil {
		return errors.New("names no mail address in from or to")
	}
	return nil
}

// Absolute returns a path that names the same file in every folder.
func Absolute(path string) string {
	abs, _ := filepath.Abs(path) //nolint:errcheck // the working folder is gone, and opening says so
	return cmp.Or(abs, path)
}

// judgeCallback returns why the marketplace will not deliver to an address (fault), or may not (warning).
func judgeCallback(u *url.URL) (fault, warning string) {
	host := strings.TrimRight(strings.ToLower(u.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	ip = ip.Unmap().WithZone("")
	whole := strings.TrimRight(strings.ToLower(u.String()), "./")
	switch {
	case err == nil && ip.IsUnspecified():
		return "is an unspecified address, where nobody can deliver: use a public address", ""
	case err == nil && (!ip.IsGlobalUnicast() || ip.IsPrivate()):
		return "", "is a loopback or private address: only a marketplace on this network reaches it"
	case err == nil:
		return "", ""
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		return "is localhost, where the marketplace sends nothing: use a public address", ""
	case strings.HasSuffix(host, "internal"), strings.HasSuffix(whole, "internal"):
		return "ends in internal, where the marketplace sends nothing: use a public address", ""
	case !strings.HasPrefix(host, "www."):
		return "", ""
	case strings.Trim(u.Path, "/") == "":
		return "is a bare www address, where the marketplace sends nothing: use one with a path, or a host name of " +
			"its own, such as hooks.example.com", ""
	default:
		return "", "is on a www host: the marketplace sends nothing to bare www addresses, and may not deliver to " +
			"this one; a host name of its own is safer"
	}
}

type schedule struct{ cron.Schedule }

// EnvDecode does more than the library, which panics on a time zone alone, accepts dates that never come, and reads
// @every below a second as one second.
func (s *schedule) EnvDecode(_ context.Context, value string) (err error) {
	zoneAlone := strings.Contains(value, "TZ=") && !strings.Contains(value, " ")
	if !zoneAlone {
		s.Schedule, err = cron.ParseStandard(value)
	}
	if zoneAlone || err != nil {
		return errors.New("is not a cron expression such as */5 * * * * or @every 5m")
	}
	if every, ok := strings.CutPrefix(value, "@every "); ok {
		if d, err := time.ParseDuration(strings.TrimSpace(every)); err != nil || d < time.Second {
			return errors.New("is more often than once a second")
		}
	}
	if s.Next(time.Now().UTC()).IsZero() {
		return errors.New("never comes")
	}
	return nil
}

// boundsOf reads bounds such as 0.5-3; off means none.
func boundsOf(s string) (b publication.Bounds, err error) {
	if s == "off" {
		return b, nil
	}
	low, high, _ := strings.Cut(s, "-")
	if b.Least, err = decimal.NewFromString(strings.TrimSpace(low)); err == nil {
		b.Most, err = decimal.NewFromString(strings.TrimSpace(high))
	}
	if err != nil || !b.Most.GreaterThan(b.Least) {
		return publication.Bounds{}, errors.New("is not two numbers, the lower one first, such as 0.5-3, or off")
	}
	return b, nil
}

func keptOf(s string) (shopadapter.Fields, error) {
	names := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' })
	fields, err := shopadapter.ParseFields(names...)
	may := shopadapter.TextFields&^(shopadapter.FieldBrand|shopadapter.FieldDetails) | shopadapter.FieldPrice |
		shopadapter.FieldStock
	if err != nil || fields&^may != 0 {
		return 0, fmt.Errorf("is not a list of %s", may)
	}
	return fields, nil
}
