package sandbox

import (
	"cmp"
	_ "embed" // of the catalogue
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
)

const statusSyncing, statusSuccess, statusFailed = "syncing", "success", "failed"

// A Publication is an entry of the import list. Its JSON has the schema's names. Add makes up empty ids.
type Publication struct {
	ID         string    `json:"id"`
	Status     string    `json:"status"` // lower case; syncing when empty
	ProductURL string    `json:"productUrl"`
	CreatedAt  time.Time `json:"createdAt"` // set by Add
	UpdatedAt  time.Time `json:"updatedAt"` // set by Add
	Listing    *Listing  `json:"listing"`
}

// What the marketplace shows as it is sent to a shop: a listing in one language, and a choice such as Color: Red.
type (
	Text   = shopadapter.Translation
	Option = shopadapter.Option
)

// A Listing is a supplier's offer. Answers have null for empty strings.
type Listing struct {
	ID        string          `json:"id"`
	ProductID string          `json:"productId"`
	Brand     string          `json:"brand"`
	Details                   // of the product
	Texts     map[string]Text `json:"translations"` // by language; a missing one is null
	Category  string          `json:"category"`     // path
	Returns   *bool           `json:"dropshippingReturns"`
	Shipping  []Shipping      `json:"dropshippingShippingDetails"`
	Variants  []Variant       `json:"variants"`
	Pictures  []Picture       `json:"images"`
}

// A Variant is one thing for sale. Prices are decimals.
type Variant struct {
	ID       string   `json:"id"`
	Options  []Option `json:"options"`
	Cost     string   `json:"dropshippingPrice"` // paid by the retailer
	MSRP     string   `json:"msrp"`
	SKU      string   `json:"sku"`
	EAN      string   `json:"ean"`
	Quantity int      `json:"inventoryQuantity"` // negative when oversold
	Policy   string   `json:"inventoryPolicy"`   // CONTINUE, or DENY when empty
	Details
}

// Details are of a variant, or of its product, which has only sizes and weight.
type Details struct {
	Weight       string   `json:"weight"`
	Length       string   `json:"length"`
	Width        string   `json:"width"`
	Height       string   `json:"height"`
	Diameter     string   `json:"diameter"`
	Volume       string   `json:"volume"`
	CaseQuantity int      `json:"caseQuantity,omitzero"`
	MadeIn       string   `json:"madeIn"`
	LeadTime     string   `json:"leadTime"`
	AvailableAt  string   `json:"availableAt"`
	Tags         []string `json:"tags"`
	Materials    []string `json:"filterMaterial"`
}

// Shipping is the price, in decimals, of sending to a group of countries.
type Shipping struct {
	CountryGroup  string `json:"countryGroup"`
	FixedCosts    string `json:"fixedCosts"`
	VariableCosts string `json:"variableCosts"`
	Days          int    `json:"estimatedShippingDays,omitzero"`
}

// A Picture without an address is drawn by this package.
type Picture struct {
	URL string `json:"url"`
}

func (l *Listing) clone() (c *Listing) {
	_ = json.Unmarshal(encode(l), &c) //nolint:errcheck // it was encoded
	return c
}

// Title returns the English title, else the Dutch one, else "".
func (l *Listing) Title() string {
	if l == nil {
		return ""
	}
	return cmp.Or(l.Texts["en"].Title, l.Texts["nl"].Title)
}

func (l *Listing) sellable() bool {
	return l.Title() != "" && len(l.Variants) > 0 &&
		!slices.ContainsFunc(l.Variants, func(v Variant) bool { return v.MSRP == "" || v.Cost == "" })
}

// Apply changes a listing as pairs of key=value say:
//
//	price=12.50                      msrp of each variant; x1.1 multiplies msrp and cost
//	msrp= cost= stock= sku= ean= id= policy= weight= available= ...   of each variant
//	of=2                             all this of the second variant alone
//	variants=4                       more variants, like the last, or fewer
//	title= html= title.nl=           texts, in English where none is named; none takes the language away
//	pictures=2, pictures=URL,...     drawn ones, or others
//	category= brand= shipping=GROUP:COSTS:DAYS
func (l *Listing) Apply(pairs ...string) error {
	of := ""
	for _, pair := range pairs {
		if n, is := strings.CutPrefix(pair, "of="); is {
			of = n
		}
	}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok {
			return fmt.Errorf("%q is no key=value", pair)
		}
		if err := l.apply(of, key, value); err != nil {
			return err
		}
	}
	return nil
}

func (l *Listing) apply(of, key, value string) error {
	key, language, _ := strings.Cut(key, ".")
	n, err := strconv.Atoi(value)
	switch key {
	case "of":
	case "variants":
		if err != nil || n < 0 || n > 10_000*min(len(l.Variants), 1) { // new ones are like the last
			return fmt.Errorf("the product cannot have %q variants", value)
		}
		l.resize(n)
	case "title", "text", "html":
		return l.write(cmp.Or(language, "en"), key, value)
	case "category", "brand":
		return assign(key, value, l)
	case "shipping":
		part := append(strings.Split(value, ":"), "", "")
		days, _ := strconv.Atoi(part[2]) //nolint:errcheck // 0: not told
		l.Shipping = []Shipping{{CountryGroup: part[0], FixedCosts: part[1], Days: days}}
	case "pictures", "images":
		if err == nil && n >= 0 {
			l.Pictures = make([]Picture, n)
			return nil
		}
		l.Pictures = nil
		for address := range strings.SplitSeq(value, ",") {
			if !absolute(address) {
				return fmt.Errorf("%q is neither an http or https address nor a count", address)
			}
			l.Pictures = append(l.Pictures, Picture{URL: address})
		}
	default:
		variants := l.Variants
		if len(variants) == 0 {
			return fmt.Errorf("the product has no variant whose %s could change", key)
		}
		if of != "" {
			if n, err = strconv.Atoi(of); err != nil || n < 1 || n > len(variants) {
				return fmt.Errorf("the product has no variant %q", of)
			}
			variants = variants[n-1 : n]
		}
		for i := range variants {
			if err := variants[i].apply(key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// resize removes variants, or adds some like the last, with ids, SKUs and choices of their own.
func (l *Listing) resize(n int) {
	had := len(l.Variants)
	l.Variants = l.Variants[:min(n, had)]
	for i := had; i < n; i++ {
		v, number := l.Variants[had-1], strconv.Itoa(i+1)
		v.ID, v.EAN, v.Options = "", "", slices.Clone(v.Options)
		if v.SKU != "" {
			v.SKU += "-X" + number
		}
		if len(v.Options) == 0 {
			v.Options = []Option{{Name: "Option"}}
		}
		v.Options[0].Value = "No. " + number
		l.Variants = append(l.Variants, v)
	}
}

func (l *Listing) write(language, key, value string) error {
	if len(language) != 2 {
		return fmt.Errorf("no language %q: one of two letters", language)
	}
	if l.Texts == nil {
		l.Texts = map[string]Text{}
	}
	text := l.Texts[language]
	err := assign(key, value, &text)
	if l.Texts[language] = text; value == "none" {
		delete(l.Texts, language)
	}
	return err
}

var longNames = map[string]string{
	"stock": "Quantity", "text": "Title", "html": "Description", "available": "AvailableAt",
}

func assign(name, value string, of any) error {
	long := cmp.Or(longNames[name], name)
	v := reflect.ValueOf(of).Elem().FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, long) })
	switch v.Kind() { //nolint:exhaustive // no others can be named
	case reflect.String:
		v.SetString(value)
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%s: %q is no number", name, value)
		}
		v.SetInt(int64(n))
	default:
		return fmt.Errorf("a supplier says nothing of %q", name)
	}
	return nil
}

func (v *Variant) apply(key, by string) error {
	if key != "price" {
		return assign(key, by, v)
	}
	factor, relative := strings.CutPrefix(by, "x")
	amount, err := decimal.NewFromString(factor)
	if err != nil || amount.IsNegative() {
		return fmt.Errorf("%q is neither a price such as 12.50 nor a factor such as x1.1 of one", by)
	}
	if !relative {
		v.MSRP = amount.StringFixed(2)
		return nil
	}
	for _, figure := range []*string{&v.MSRP, &v.Cost} {
		if was, err := decimal.NewFromString(*figure); err == nil { // a missing one stays missing
			*figure = was.Mul(amount).StringFixed(2)
		}
	}
	return nil
}

type template struct {
	Name    string // stable: "sixty-variants"
	Flaw    string // why it cannot be sold whole, or empty
	Listing *Listing
}

// A category of products has depth 2.
type category struct {
	Path, Parent string
	Depth        int
	Names        map[string]string
}

//go:embed catalogue.json
var catalogue []byte

// shelf reads the catalogue, parents before children.
var shelf = sync.OnceValue(func() (s struct {
	Categories []category
	Products   []template
},
) {
	if err := json.Unmarshal(catalogue, &s); err != nil {
		panic("sandbox: catalogue.json: " + err.Error())
	}
	return s
})

// AddCatalogue puts n products of the catalogue on the import list, each once where n is below 0, and returns the
// ids. Only two products share a SKU, on purpose.
func (m *Marketplace) AddCatalogue(n int) []string {
	if n < 0 {
		n = len(shelf().Products)
	}
	return m.fill(n, func(template) bool { return true })
}

// AddSound is AddCatalogue with only products that can be sold whole.
func (m *Marketplace) AddSound(n int) []string {
	return m.fill(n, func(t template) bool { return t.Flaw == "" })
}

func (m *Marketplace) fill(n int, wanted func(template) bool) []string {
	templates := slices.DeleteFunc(slices.Clone(shelf().Products), func(t template) bool { return !wanted(t) })
	var all []Publication
	m.locked(func() {
		for range min(n, n*len(templates)) {
			l := templates[m.templates%len(templates)].Listing.clone()
			l.distinguish(m.templates, m.templates/len(templates)+1)
			all = append(all, Publication{Listing: l})
			m.templates++
		}
	})
	return m.Add(all...)
}

// distinguish makes EANs unique by n, SKUs and titles by round.
func (l *Listing) distinguish(n, round int) {
	if l == nil {
		return
	}
	for i := range l.Variants {
		v := &l.Variants[i]
		v.EAN = cmp.Or(v.EAN, fmt.Sprintf("29%011d", n*100+i))
		if article, variant, found := strings.Cut(v.SKU, "-"); found && round > 1 {
			v.SKU = fmt.Sprint(article, round, "-", variant)
		}
	}
	for lang, text := range l.Texts {
		if round > 1 && text.Title != "" {
			text.Title = fmt.Sprintf("%s No. %d", text.Title, round)
			l.Texts[lang] = text
		}
	}
}

//go:embed picture.png
var picture []byte

func servePicture(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(picture)
}
