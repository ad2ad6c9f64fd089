package vendure

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const password = "correct-horse"

// settings are the adapter's, with changes by name and value.
func settingsWith(changes ...string) map[string]string {
	all := map[string]string{
		"URL": "https://vendure.example", "USERNAME": "owner", "PASSWORD": password, "CHANNEL": "",
		"STOREFRONT_URL": "https://shop.example/product/{slug}", "IMAGE_HOSTS": "127.0.0.1", "PRICES": "auto",
		"WEIGHT_UNIT": "g", "DIMENSION_UNIT": "cm",
	}
	for i := 0; i+1 < len(changes); i += 2 {
		all[changes[i]] = changes[i+1]
	}
	return all
}

// A script answers each request but a login, which it takes. It knows nothing of Vendure.
type script struct {
	answer func(operation string, request map[string]any) *http.Response
	logins int

	mu    sync.Mutex
	asked []string
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	var request struct {
		Query     string
		Variables map[string]any
	}
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return nil, err
	}
	operation := strings.FieldsFunc(request.Query, func(c rune) bool { return c == ' ' || c == '(' })[1]
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, operation)
	if operation != "Login" {
		return s.answer(operation, request.Variables), nil
	}
	if request.Variables["password"] != password {
		return data(`{"login":{"__typename":"InvalidCredentialsError","errorCode":"INVALID_CREDENTIALS_ERROR"}}`), nil
	}
	s.logins++
	response := data(`{"login":{"__typename":"CurrentUser","id":"1"}}`)
	response.Header = http.Header{"Vendure-Auth-Token": {fmt.Sprint("session-", s.logins)}}
	return response, nil
}

func (s *script) open(t *testing.T, changes ...string) *Adapter {
	t.Helper()
	a, err := Open(shopadapter.Options{Settings: settingsWith(changes...), HTTPClient: &http.Client{Transport: s}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	return a
}

func status(code int, header ...string) *http.Response {
	h := http.Header{}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	body := io.NopCloser(strings.NewReader("<h1>" + http.StatusText(code)))
	return &http.Response{StatusCode: code, Header: h, Body: body}
}

func body(text string) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text))}
}

func data(text string) *http.Response { return body(`{"data":` + text + `}`) }

func coded(code, message string) *http.Response {
	extensions := fmt.Sprintf(`{"code":%q}`, code)
	if code == "" {
		extensions = "{}"
	}
	return body(fmt.Sprintf(`{"errors":[{"message":%q,"extensions":%s}],"data":null}`, message, extensions))
}

func lamp(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := laws.Sample(id, variants)
	p.Images = []string{}
	return p
}

func TestTheShopsOwnWords(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer *http.Response
		kind   shopadapter.Kind
		wide   bool
		says   string
	}{
		{"429", status(http.StatusTooManyRequests), shopadapter.Transient, true, "come back later"},
		{
			"503", status(http.StatusServiceUnavailable, "Retry-After", "90"), shopadapter.Transient, true, "HTTP 503",
		},
		{"500", status(http.StatusInternalServerError), shopadapter.Transient, false, "HTTP 500"},
		{"401 of a proxy", status(http.StatusUnauthorized), shopadapter.Blocked, true, "refuses access"},
		{"403 of a proxy", status(http.StatusForbidden), shopadapter.Blocked, true, "refuses access"},
		{"404", status(http.StatusNotFound), shopadapter.Blocked, true, "no Admin API"},
		{"redirect", status(http.StatusMovedPermanently), shopadapter.Blocked, true, "redirected"},
		{"413", status(http.StatusRequestEntityTooLarge), shopadapter.Rejected, false, "too large"},
		{"202", status(http.StatusAccepted), shopadapter.Transient, false, "not GraphQL"},
		{"page of HTML", body("<!doctype html>"), shopadapter.Transient, false, "not GraphQL"},
		{"nothing", body(""), shopadapter.Transient, false, "not GraphQL"},
		{"no data", body(`{"data":null}`), shopadapter.Transient, false, "no data"},
		{"unknown form", data(`{"products":7}`), shopadapter.Transient, false, "unknown form"},
		{"no rights", coded("FORBIDDEN", "no"), shopadapter.Blocked, true, "may not do this"},
		{"no channel", coded("CHANNEL_NOT_FOUND", "no"), shopadapter.Blocked, true, "CHANNEL"},
		{
			"another API", coded("GRAPHQL_VALIDATION_FAILED", `Cannot query field "x" on type "Query".`),
			shopadapter.Blocked, true, "Vendure 3.7",
		},
		{
			"no custom fields", coded("GRAPHQL_VALIDATION_FAILED", `Cannot query field "customFields" on type "Product".`),
			shopadapter.Blocked, true, ConfigLines,
		},
		{"user input", coded("USER_INPUT_ERROR", "bad"), shopadapter.Rejected, false, "refuses it: bad"},
		{
			"read-only field", coded("BAD_USER_INPUT", `Field "pubsyncStamp" is not defined`), shopadapter.Blocked, true,
			"customFields: {",
		},
		{"gone meanwhile", coded("ENTITY_NOT_FOUND", "No Product"), shopadapter.Transient, false, "changed meanwhile"},
		{"its own fault", coded("INTERNAL_SERVER_ERROR", "oops"), shopadapter.Transient, false, "oops"},
		{"without a code", coded("", "FOREIGN KEY"), shopadapter.Transient, false, "FOREIGN KEY"},
		{
			"a secret", coded("USER_INPUT_ERROR", "you sent "+password+" with session-1"), shopadapter.Rejected, false,
			"you sent [token] with [token]",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			text, err := io.ReadAll(row.answer.Body)
			if err != nil {
				t.Fatal(err)
			}
			s := &script{answer: func(string, map[string]any) *http.Response {
				again := *row.answer
				again.Body = io.NopCloser(strings.NewReader(string(text)))
				return &again
			}}
			p := lamp("p", 1)
			_, err = s.open(t).Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != row.kind || e.ShopWide != row.wide || !strings.Contains(e.Message, row.says) {
				t.Errorf("the error is %+v, want %s, shop-wide %t, with %q", e, row.kind, row.wide, row.says)
			}
			if most := 1 + 2*min(s.logins, 2); len(s.asked) > most {
				t.Errorf("asked %v after %d logins", s.asked, s.logins)
			}
		})
	}
}

// channelOf is what Vendure answers of a channel, with changes.
func channelOf(changes ...string) string {
	c := map[string]string{
		"token": `"default-channel"`, "defaultLanguageCode": `"en"`, "availableLanguageCodes": `["en","nl"]`,
		"defaultCurrencyCode": `"EUR"`, "defaultTaxZone": `{"id":"1"}`, "pricesIncludeTax": "true",
	}
	for i := 0; i+1 < len(changes); i += 2 {
		c[changes[i]] = changes[i+1]
	}
	var members []string
	for name, value := range c {
		members = append(members, fmt.Sprintf("%q:%s", name, value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

func TestCheck(t *testing.T) {
	const all = "ReadCatalog CreateCatalog UpdateCatalog DeleteCatalog"
	for _, row := range []struct {
		name     string
		channel  string
		rights   string
		settings []string
		says     string // "" when all is well
		checked  bool   // a Publish does not find it
	}{
		{"all is well", channelOf(), all, nil, "", false},
		{"the channel is named", channelOf(), all, []string{"CHANNEL", "default-channel"}, "", false},
		{
			"the parts of the catalogue are granted one by one", channelOf(),
			"ReadProduct CreateProduct UpdateProduct DeleteProduct ReadAsset CreateAsset ReadFacet CreateFacet", nil, "", false,
		},
		{"a wrong password", channelOf(), all, []string{"PASSWORD", "hunter2-hunter2"}, "USERNAME and PASSWORD", false},
		{"another channel", channelOf(), all, []string{"CHANNEL", "unknown"}, "CHANNEL", false},
		{"no tax zone", channelOf("defaultTaxZone", "null"), all, nil, "default tax zone", false},
		{
			"rights to read alone", channelOf(), "ReadCatalog", nil,
			"CreateProduct, CreateAsset, CreateFacet, UpdateProduct, DeleteProduct", true,
		},
		{
			"no VAT for a channel that adds tax", channelOf("pricesIncludeTax", "false"), all, nil,
			"PUBSYNC_SHOP_PRICES=gross", false,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &script{answer: func(operation string, _ map[string]any) *http.Response {
				if operation != "CheckShop" && operation != "ReadProduct" {
					return coded("INTERNAL_SERVER_ERROR", "cannot read properties of undefined")
				}
				return data(`{"activeChannel":` + row.channel + `,"products":{"items":[]},"productVariants":{"items":[]},
					"globalSettings":{"serverConfig":{"moneyStrategyPrecision":2}},
					"me":{"channels":[{"token":"default-channel","permissions":["` +
					strings.Join(strings.Fields(row.rights), `","`) + `"]}]}}`)
			}}
			a := s.open(t, row.settings...)
			is, err := a.Check(t.Context())
			if row.says == "" {
				if err != nil || is.Currency != "EUR" || !is.Figures || is.Prices.Net() {
					t.Errorf("got %+v, %v", is, err)
				}
				return
			}
			p := lamp("p", 1)
			_, published := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
			if row.checked {
				published = err
			}
			for name, err := range map[string]error{"check": err, "publish": published} {
				if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
					!strings.Contains(e.Message, row.says) {
					t.Errorf("%s: the error is %v, want %q", name, err, row.says)
				}
			}
			if !row.checked && slices.Contains(s.asked, "CreateProduct") {
				t.Error("a product was made")
			}
		})
	}
}

func TestALoginIsSharedAndRenewedOnce(t *testing.T) {
	const calls = 8
	var all sync.WaitGroup
	known, waiting := "Bearer session-1", make(chan struct{})
	s := &script{}
	met := 0
	s.answer = func(string, map[string]any) *http.Response { return nil }
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Header.Get("Authorization") == "" {
			return s.RoundTrip(r)
		}
		s.mu.Lock()
		if met++; met == calls { // each caller has met the same session
			close(waiting)
		}
		gate, fine := waiting, r.Header.Get("Authorization") == known
		s.mu.Unlock()
		<-gate
		if !fine {
			return coded("FORBIDDEN", "no"), nil
		}
		return data(`{"activeChannel":` + channelOf() + `,"me":{"channels":[{"token":"default-channel","permissions":[
			"ReadCatalog","CreateCatalog","UpdateCatalog","DeleteCatalog"]}]}}`), nil
	})
	a, err := Open(shopadapter.Options{Settings: settingsWith(), HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	for _, session := range []int{1, 2} { // at the start, and after the session has expired
		known = fmt.Sprint("Bearer session-", session)
		met, waiting = 0, make(chan struct{})
		for range calls {
			all.Go(func() {
				if _, err := a.Check(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if s.logins != session {
			t.Errorf("%d logins, want %d", s.logins, session)
		}
	}
	known = "none: the account has no rights"
	if _, err := a.Check(t.Context()); err == nil || s.logins != 3 {
		t.Errorf("without rights: %v after %d logins, want an error after one more", err, s.logins)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
