package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

func (m *Marketplace) orderDelay(o Order) ([]string, string, error) {
	delay, err := time.ParseDuration(o.Delay)
	if err != nil || delay <= 0 {
		return nil, "", fmt.Errorf("%q is not a span such as 2s", o.Delay)
	}
	during, err := m.inject(o, Fault{Kind: Slow, Delay: delay})
	return nil, fmt.Sprintf("%s answered %s late", during, delay), err
}

func (m *Marketplace) orderThrottle(o Order) ([]string, string, error) {
	during, err := m.inject(o, Fault{Kind: ThrottledNow})
	return nil, during + " throttled", err
}

func (m *Marketplace) orderRefuse(o Order) ([]string, string, error) {
	for _, id := range o.IDs {
		if _, ok := m.Publication(id); !ok {
			return nil, "", notListed(id)
		}
	}
	during, err := m.inject(o, Fault{Kind: RefusedReport, On: []Kind{KindReport}, IDs: o.IDs})
	if said := during + " refused"; len(o.IDs) > 0 {
		return o.IDs, said + " of " + strings.Join(o.IDs, ", "), err
	}
	return nil, during + " refused", err
}

func (m *Marketplace) orderObject(o Order) ([]string, string, error) {
	on := []Kind{KindReport, KindContent, KindLook, KindList}
	switch {
	case o.Message == "":
		return nil, "", errors.New("an objection has a message")
	case o.On != "" && !slices.Contains(on, o.On):
		return nil, "", fmt.Errorf("%q is not one of %v", o.On, on)
	case o.On != "":
		on = []Kind{o.On}
	}
	for _, id := range o.IDs {
		if _, ok := m.Publication(id); !ok {
			return nil, "", notListed(id)
		}
	}
	during, err := m.inject(o, Fault{Kind: Objection, On: on, IDs: o.IDs, Message: o.Message})
	said := during + " objected to"
	if len(o.IDs) > 0 {
		said += " that names " + strings.Join(o.IDs, ", ")
	}
	return o.IDs, said, err
}

func (m *Marketplace) orderDeny(o Order) ([]string, string, error) {
	during, err := m.inject(o, Fault{Kind: DeniedReport, On: []Kind{KindReport}})
	return nil, during + " denied: the token may not report", err
}

func (m *Marketplace) orderOdd(o Order) ([]string, string, error) {
	if len(o.Fields) == 0 {
		return nil, "", errors.New("no field is named")
	}
	during, err := m.inject(o, Fault{Kind: OddShape, On: []Kind{KindContent}, Fields: o.Fields})
	return nil, during + " answered with another shape of " + strings.Join(o.Fields, ", "), err
}

// inject puts a fault in force for as long as the order says, and says it.
func (m *Marketplace) inject(o Order, f Fault) (during string, err error) {
	what := "request"
	if f.Kind == RefusedReport || f.Kind == DeniedReport {
		what = "report"
	}
	switch {
	case o.Next < 0:
		return "", fmt.Errorf("%d requests are below zero", o.Next)
	case o.Next == 0:
		f.Probability, during = 1, "every "+what+" is"
	case o.Next == 1:
		f.Next, during = 1, "the next "+what+" is"
	default:
		f.Next, during = o.Next, fmt.Sprintf("the next %d %ss are", o.Next, what)
	}
	m.Inject(f)
	return during, nil
}

func (m *Marketplace) orderRevoke(Order) ([]string, string, error) {
	m.RevokeToken()
	return nil, "the token is revoked", nil
}

func (m *Marketplace) orderUninstall(Order) ([]string, string, error) {
	n := m.RemoveApp()
	if n == 0 {
		return nil, "", errors.New("the app is not installed")
	}
	return nil, "the app is removed: its token is refused for good", nil
}

func (m *Marketplace) orderHeal(Order) ([]string, string, error) {
	m.Heal()
	m.SetToken(m.opts.Token)
	return nil, "all faults are over, and the token is good again", nil
}
