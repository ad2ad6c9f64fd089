package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// An Order is one thing that suppliers, the retailer or the marketplace do while a connector works.
// Its JSON form is the body of POST /sandbox/orders. The help is that of the command sandbox do.
type Order struct {
	Do       []string `json:"do" arg:"" name:"order" help:"What is to happen, as below."`
	Count    int      `json:"count,omitempty" help:"How many; 1 when it is not given."`
	Variant  string   `json:"variant,omitempty" help:"Only this variant."`
	Cost     string   `json:"cost,omitempty" help:"What the retailer pays."`
	HTML     string   `json:"html,omitempty" name:"html" help:"The new description."`
	Language string   `json:"language,omitempty" help:"The language of both texts; en when it is not given."`
	On       Kind     `json:"on,omitempty" help:"Only requests of this kind: report, content, look or list."`
	Executed bool     `json:"executed,omitempty" help:"The request takes effect, and its answer alone is lost."`
	Next     int      `json:"next,omitempty" help:"End after so many requests; 0: with heal."`
}

// An Outcome says what an order did.
type Outcome struct {
	Do   string   `json:"do"`
	IDs  []string `json:"ids"`  // the publications that it concerned
	Said string   `json:"said"` // the event in words
}

// A way is how an order is carried out. carry returns the publications that it concerned and the
// event in words.
type way struct {
	usage, help string
	least, most int // words behind the first
	carry       func(*Marketplace, Order) (ids []string, said string, err error)
}

// anyPublication in the place of an id lets the sandbox pick a publication.
const anyPublication = "any"

var ways = map[string]way{
	"add":      {"[template] --count", "The retailer imports products.", 0, 1, (*Marketplace).orderAdd},
	"price":    {"<id> [amount] --cost --variant", "The supplier changes a price: 12.50, x1.1.", 1, 2, (*Marketplace).orderPrice},
	"stock":    {"<id> <quantity> --variant", "The supplier has another stock.", 2, 2, (*Marketplace).orderStock},
	"text":     {"<id> [title] --html --language", "The supplier rewrites a title or a description.", 1, 2, (*Marketplace).orderText},
	"images":   {"<id> <address or count> ...", "The supplier shows other pictures.", 2, maxImages + 1, (*Marketplace).orderImages},
	"variants": {"<id> <count>", "The supplier offers more variants, or fewer.", 2, 2, (*Marketplace).orderVariants},
	"remove":   {"<id> ...", "The retailer takes publications off the import list.", 1, maxOrdered, (*Marketplace).orderRemove},
	"relist":   {"<id> ...", "The retailer imports removed publications again.", 1, maxOrdered, (*Marketplace).orderRelist},

	"revoke":    {"", "The marketplace refuses the token.", 0, 0, (*Marketplace).orderRevoke},
	"uninstall": {"", "The retailer removes the app: its token is refused for good.", 0, 0, (*Marketplace).orderUninstall},
	"heal":      {"", "Ends all that follows, and makes the token good again.", 0, 0, (*Marketplace).orderHeal},

	"delay":    {"<span> --on --next", "The marketplace answers late, by 2s say.", 1, 1, (*Marketplace).orderDelay},
	"throttle": {"--on --next", "It answers that it is throttled.", 0, 0, fault("throttled")},
	"refuse":   {"[id] ... --next", "It refuses reports.", 0, maxOrdered, fault("refused", KindReport)},
	"deny":     {"--next", "It denies the token every report.", 0, 0, fault("denied: the token may not report", KindReport)},
	"object": {
		"<message> [id] ... --on --next", "It objects to requests, as to a document that is not valid.", 1, maxOrdered,
		fault("objected to", KindReport, KindContent, KindLook, KindList),
	},
	"odd": {
		"<field> ... --next", "It gives fields of a listing, such as images or ean, in another shape.", 1, 50,
		fault("answered with another shape of", KindContent),
	},
	"server-error":   {"--on --executed --next", "It answers 502.", 0, 0, fault("answered 502")},
	"internal-error": {"--on --executed --next", "It answers an internal error.", 0, 0, fault("failed")},
	"cut":            {"--on --executed --next", "It ends the connection.", 0, 0, fault("cut")},
	"empty-list":     {"--next", "The import list looks empty.", 0, 0, fault("answered with an empty list", KindList)},
}

// Orders describes the orders in the form of a command's help, a line each.
func Orders() (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		lines = append(lines, fmt.Sprintf("%-46s %s", strings.TrimSpace(name+" "+ways[name].usage), ways[name].help))
	}
	return lines
}

// Carry carries out an order. An order with an error has changed nothing.
func (m *Marketplace) Carry(o Order) (Outcome, error) {
	if len(o.Do) == 0 {
		return Outcome{}, errors.New("no order is given")
	}
	name, words := o.Do[0], o.Do[1:]
	w, known := ways[name]
	if !known {
		return Outcome{}, fmt.Errorf("no order %q: one of %s", name, strings.Join(slices.Sorted(maps.Keys(ways)), ", "))
	}
	if len(words) < w.least || len(words) > w.most {
		return Outcome{}, fmt.Errorf("%s: it is written %s %s", name, name, w.usage)
	}
	given := reflect.ValueOf(o)
	for i := range given.NumField() {
		flag, _, _ := strings.Cut(given.Type().Field(i).Tag.Get("json"), ",")
		if flag != "do" && !given.Field(i).IsZero() && !strings.Contains(w.usage, "--"+flag) {
			return Outcome{}, fmt.Errorf("%s: it takes no --%s", name, flag)
		}
	}
	ids, said, err := w.carry(m, o)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", name, err)
	}
	done := Outcome{Do: name, IDs: slices.Concat([]string{}, ids), Said: said}
	call(m, &m.onOrder, done)
	return done, nil
}

// word is the n-th word behind the first, "" where there is none.
func (o Order) word(n int) string {
	if n < len(o.Do) {
		return o.Do[n]
	}
	return ""
}

// Bounds of an order, so that a typo does not fill the memory.
const (
	maxOrdered  = 10_000 // publications
	maxVariants = 500
	maxImages   = 50
)

// count reads a number of things.
func count(word, what string, most int) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%q is no number of %s from 0 to %d", word, what, most)
	}
	return n, nil
}

func notListed(id string) error { return fmt.Errorf("the import list has no publication %q", id) }

// one is the publication that an order names, or one that the marketplace picks.
func (m *Marketplace) one(o Order) (string, error) {
	if o.Do[1] == anyPublication {
		return m.pick()
	}
	if _, ok := m.Publication(o.Do[1]); !ok {
		return "", notListed(o.Do[1])
	}
	return o.Do[1], nil
}

// pick chooses a publication that can be sold: one that is on sale where there is one, and none of
// except where there is another.
func (m *Marketplace) pick(except ...string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var sound, onSale, others []string
	for _, r := range m.byID {
		if !r.Listing.sellable() {
			continue
		}
		sound = append(sound, r.ID)
		if r.Status == statusSuccess {
			onSale = append(onSale, r.ID)
			if !slices.Contains(except, r.ID) {
				others = append(others, r.ID)
			}
		}
	}
	for _, better := range [][]string{onSale, others} {
		if len(better) > 0 {
			sound = better
		}
	}
	if len(sound) == 0 {
		return "", errors.New("the import list has no product that can be sold")
	}
	return sound[m.choice.IntN(len(sound))], nil
}

// titles are publications in words: their titles, or the ids of those that have none.
func (m *Marketplace) titles(ids ...string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	titles := slices.Clone(ids)
	for i, id := range ids {
		if r := m.records[id]; r != nil && r.Listing != nil && r.Listing.anyTitle() != "" {
			titles[i] = "“" + r.Listing.anyTitle() + "”"
		}
	}
	return strings.Join(titles, ", ")
}

func (m *Marketplace) orderAdd(o Order) ([]string, string, error) {
	n := cmp.Or(o.Count, 1)
	if n < 1 || n > maxOrdered {
		return nil, "", fmt.Errorf("%d publications: one order adds 1 to %d", n, maxOrdered)
	}
	templates := shelf().templates
	if name := o.word(1); name != "" {
		i := slices.IndexFunc(templates, func(t Template) bool { return t.Name == name })
		if i < 0 {
			var names []string
			for _, t := range templates {
				names = append(names, t.Name)
			}
			return nil, "", fmt.Errorf("the catalogue has no template %q: one of %s", name, strings.Join(names, ", "))
		}
		templates = templates[i : i+1]
	}
	ids := m.addTemplates(n, templates)
	if n == 1 {
		return ids, "the retailer imports " + m.titles(ids...), nil
	}
	return ids, fmt.Sprintf("the retailer imports %d products", n), nil
}

func (m *Marketplace) orderPrice(o Order) ([]string, string, error) {
	next, err := repricing(o.word(2), o.Cost)
	if err != nil {
		return nil, "", err
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	var old, now string
	err = m.alterVariants(id, o.Variant, func(v *Variant) error {
		before := v.MSRP
		err := next(v)
		if old == "" {
			old, now = before, v.MSRP
		}
		return err
	})
	return []string{id}, fmt.Sprintf("the supplier changes the price of %s from %s to %s", m.titles(id), old, now), err
}

// repricing reads what a price order says: a recommended price, or a factor for price and cost, and
// a cost.
func repricing(said, cost string) (func(*Variant) error, error) {
	factor, relative := strings.CutPrefix(said, "x")
	amount, err := decimal.NewFromString(factor)
	switch {
	case said == "" && cost == "":
		return nil, errors.New("it needs an amount such as 12.50 or x1.1, or a cost")
	case said != "" && (err != nil || amount.IsNegative() || len(factor) > 20):
		return nil, fmt.Errorf("%q is neither a price such as 12.50 nor a factor such as x1.1", said)
	}
	if paid, err := decimal.NewFromString(cost); cost != "" && (err != nil || paid.IsNegative()) {
		return nil, fmt.Errorf("%q is not a cost such as 8.00", cost)
	}
	return func(v *Variant) error {
		if said != "" && !relative {
			v.MSRP = amount.StringFixed(2)
		}
		for _, price := range []*string{&v.MSRP, &v.Cost} {
			before, err := decimal.NewFromString(*price)
			switch {
			case !relative:
			case err != nil:
				return fmt.Errorf("variant %s has no price to multiply", v.ID)
			default:
				*price = before.Mul(amount).StringFixed(2)
			}
		}
		v.Cost = cmp.Or(cost, v.Cost)
		return nil
	}, nil
}

func (m *Marketplace) orderStock(o Order) ([]string, string, error) {
	quantity, err := strconv.Atoi(o.Do[2])
	if err != nil {
		return nil, "", fmt.Errorf("%q is no number of units", o.Do[2])
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	err = m.alterVariants(id, o.Variant, func(v *Variant) error { v.Quantity = quantity; return nil })
	return []string{id}, fmt.Sprintf("the supplier has %d of %s", quantity, m.titles(id)), err
}

func (m *Marketplace) orderText(o Order) ([]string, string, error) {
	language, title := cmp.Or(o.Language, "en"), o.word(2)
	switch {
	case title == "" && o.HTML == "":
		return nil, "", errors.New("it needs a title or a description")
	case !slices.Contains(m.opts.languages(), language):
		return nil, "", fmt.Errorf("no language %q: one of %s", language, strings.Join(m.opts.languages(), ", "))
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	before := m.titles(id)
	err = m.alter(id, func(l *Listing) error {
		was := l.Texts[language]
		if l.Texts == nil {
			l.Texts = map[string]Text{}
		}
		l.Texts[language] = Text{Title: cmp.Or(title, was.Title), Description: cmp.Or(o.HTML, was.Description)}
		return nil
	})
	return []string{id}, "the supplier rewrites " + before, err
}

func (m *Marketplace) orderImages(o Order) ([]string, string, error) {
	var pictures []Picture
	drawn, err := count(o.Do[2], "images", maxImages)
	if err != nil || len(o.Do) > 3 {
		for _, address := range o.Do[2:] {
			if !absolute(address) {
				return nil, "", fmt.Errorf("%q is neither an absolute http or https address nor a count up to %d", address, maxImages)
			}
			pictures = append(pictures, Picture{URL: address})
		}
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	err = m.alter(id, func(l *Listing) error {
		if pictures == nil {
			like := append(l.Pictures, Picture{Colour: "8c8c8c"})[0]
			pictures = slices.Repeat([]Picture{{Colour: like.Colour, Shape: like.Shape}}, drawn)
		}
		l.Pictures = pictures
		return nil
	})
	return []string{id}, fmt.Sprintf("the supplier shows %s in %d pictures", m.titles(id), len(pictures)), err
}

func (m *Marketplace) orderVariants(o Order) ([]string, string, error) {
	n, err := count(o.Do[2], "variants", maxVariants)
	if err != nil {
		return nil, "", err
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	err = m.alter(id, func(l *Listing) error {
		if len(l.Variants) == 0 && n > 0 {
			l.Variants = []Variant{{SKU: strings.ToUpper(id), Cost: "10.00", MSRP: "20.00", Quantity: 5, Options: []Option{{"Option", "One"}}}}
		}
		l.Variants = l.Variants[:min(n, len(l.Variants))]
		for len(l.Variants) < n {
			l.Variants = append(l.Variants, l.another())
		}
		return nil
	})
	return []string{id}, fmt.Sprintf("the supplier offers %s in %d variants", m.titles(id), n), err
}

// another is one more variant like the last, with an id, a SKU and an option value of its own.
func (l *Listing) another() Variant {
	n := len(l.Variants)
	v := l.Variants[n-1]
	v.ID, v.EAN = "", ""
	if v.SKU != "" {
		v.SKU = strings.TrimSuffix(v.SKU, "-X"+strconv.Itoa(n)) + "-X" + strconv.Itoa(n+1)
	}
	if v.Options = slices.Clone(v.Options); len(v.Options) == 0 {
		v.Options = []Option{{Name: "Option"}}
	}
	v.Options[0].Value = fmt.Sprintf("No. %d", n+1)
	return v
}

func (m *Marketplace) orderRemove(o Order) ([]string, string, error) {
	ids := slices.Clone(o.Do[1:])
	for i := range ids {
		id, err := m.one(Order{Do: []string{"", ids[i]}})
		if err != nil {
			return nil, "", err
		}
		ids[i] = id
	}
	said := "the retailer takes " + m.titles(ids...) + " off the import list"
	m.Remove(ids...)
	return ids, said, nil
}

func (m *Marketplace) orderRelist(o Order) ([]string, string, error) {
	gone, ids := m.removed(), o.Do[1:]
	if ids[0] == anyPublication {
		ids = gone[:min(1, len(gone))]
	}
	for _, id := range ids {
		if !slices.Contains(gone, id) {
			return nil, "", fmt.Errorf("publication %q was not removed", id)
		}
	}
	if len(ids) == 0 {
		return nil, "", errors.New("no publication was removed")
	}
	m.Restore(ids...)
	return ids, "the retailer imports " + m.titles(ids...) + " again", nil
}

// removed lists the publications that were taken off the list, the latest change first.
func (m *Marketplace) removed() (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	gone := slices.DeleteFunc(slices.Collect(maps.Values(m.records)), func(r *record) bool { return !r.gone })
	slices.SortFunc(gone, func(a, b *record) int { return compareUpdate(b, a) })
	for _, r := range gone {
		ids = append(ids, r.ID)
	}
	return ids
}

func (m *Marketplace) orderRevoke(Order) ([]string, string, error) {
	m.RevokeToken()
	return nil, "the token is revoked", nil
}

func (m *Marketplace) orderUninstall(Order) ([]string, string, error) {
	if m.RemoveApp() == 0 {
		return nil, "", errors.New("the app is not installed")
	}
	return nil, "the app is removed: its token is refused for good", nil
}

func (m *Marketplace) orderHeal(Order) ([]string, string, error) {
	m.Heal()
	m.SetToken(m.opts.Token)
	return nil, "all faults are over, and the token is good again", nil
}

func (m *Marketplace) orderDelay(o Order) ([]string, string, error) {
	delay, err := time.ParseDuration(o.Do[1])
	if err != nil || delay <= 0 {
		return nil, "", fmt.Errorf("%q is not a span such as 2s", o.Do[1])
	}
	return m.inject(o, Fault{Kind: Slow, Delay: delay}, "answered "+delay.String()+" late", nil)
}

// fault is an order that puts the fault of its name in force, for requests of some kinds.
func fault(happens string, on ...Kind) func(*Marketplace, Order) ([]string, string, error) {
	return func(m *Marketplace, o Order) ([]string, string, error) {
		f, words := Fault{Kind: FaultKind(o.Do[0]), Executed: o.Executed}, o.Do[1:]
		switch f.Kind { //nolint:exhaustive // the others have no words
		case OddShape:
			f.Fields = words
			return m.inject(o, f, happens+" "+strings.Join(words, ", "), on)
		case Objection:
			f.Message, words = words[0], words[1:]
		}
		if len(words) == 0 || len(words) == 1 && words[0] == anyPublication {
			return m.inject(o, f, happens, on)
		}
		for _, id := range words {
			if _, ok := m.Publication(id); !ok {
				return nil, "", notListed(id)
			}
		}
		f.IDs = words
		return m.inject(o, f, happens+" that names "+strings.Join(words, ", "), on)
	}
}

// inject puts a fault in force for as long as the order says, and says it.
func (m *Marketplace) inject(o Order, f Fault, happens string, on []Kind) ([]string, string, error) {
	what := "request"
	if f.On = on; o.On != "" {
		f.On = []Kind{o.On}
	}
	if len(f.On) == 1 && f.On[0] == KindReport {
		what = "report"
	}
	during := "every " + what + " is"
	switch f.Next = o.Next; {
	case o.Next < 0:
		return nil, "", fmt.Errorf("%d requests are below zero", o.Next)
	case len(on) > 0 && o.On != "" && !slices.Contains(on, o.On):
		return nil, "", fmt.Errorf("%q is not one of %v", o.On, on)
	case o.Next == 0:
		f.Probability = 1
	case o.Next == 1:
		during = "the next " + what + " is"
	default:
		during = fmt.Sprintf("the next %d %ss are", o.Next, what)
	}
	m.Inject(f)
	return f.IDs, during + " " + happens, nil
}
