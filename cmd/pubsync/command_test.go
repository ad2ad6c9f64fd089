// What commands print, and the codes they end with.

package main_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// noConversion is what is said where the shop sells in another currency.
const noConversion = "nothing is converted, so 10.00 EUR would be sold for 10.00 USD"

func nobody(t *testing.T) string { return "http://" + freePort(t) }

func TestExitCodesOfARun(t *testing.T) {
	unraced(t)
	t.Parallel()
	for _, tt := range []struct {
		name  string
		upset func(*site)
		code  int
	}{
		{"all well", func(*site) {}, 0},
		{"one stands rejected", func(s *site) { s.shop.rules(always(problem(422, "no"))) }, 1},
		{
			"one stands pending",
			func(s *site) { s.shop.rules(only(s.market.Publications()[0].ID, shoptest.Reply{Status: 500})) }, 1,
		},
		{"a setting is wrong", func(s *site) { s.set("PRICE_BASE", "x") }, 2},
		{
			"the shop sells in another currency", func(s *site) { s.shop.Can(shoptest.Abilities{Currency: "USD"}) }, 2,
		},
		{"the marketplace cannot be reached", func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t)) }, 3},
		{"the marketplace refuses the token", func(s *site) { s.set("MARKETPLACE_TOKEN", "old") }, 3},
		{"the marketplace's list breaks off", func(s *site) {
			s.market.Inject(sandbox.Fault{Kind: sandbox.ServerError, Probability: 1, On: []sandbox.Kind{sandbox.KindList}})
		}, 3},
		{"the shop cannot be reached", func(s *site) { s.set("HTTP_URL", nobody(s.t)) }, 4},
		{
			"the shop refuses the credentials", func(s *site) { s.set("HTTP_TOKEN", "old"); s.shop.healthy(401) }, 4,
		},
		{"the store is another account's", func(s *site) {
			s.imported()
			other := sandbox.Start(sandbox.Options{Token: marketToken, Account: "somebody-else", RestoreRate: 2000})
			s.t.Cleanup(other.Close)
			s.set("MARKETPLACE_URL", other.URL)
		}, 5},
		{"the store cannot be opened", func(s *site) { s.set("STORE_PATH", s.dir) }, 5},
		{
			"both sides are away: the marketplace counts",
			func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t), "HTTP_URL", nobody(s.t)) }, 3,
		},
		{
			"the store and the marketplace: the store counts",
			func(s *site) { s.set("MARKETPLACE_URL", nobody(s.t), "STORE_PATH", s.dir) }, 5,
		},
		{"the shop and a rejection: the shop counts", func(s *site) {
			s.lamps(3)
			rejected := s.market.Publications()[0].ID
			s.shop.rules(func(r shoptest.Call) shoptest.Reply {
				if string(r.ID) == rejected {
					return problem(422, "no")
				}
				return shoptest.Reply{Status: 401}
			})
			s.shop.healthy(401)
			s.set("SHOP_CONCURRENCY", "1")
		}, 4},
		{
			"configuration and store: configuration counts", func(s *site) { s.set("PRICE_BASE", "x", "STORE_PATH", s.dir) }, 2,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.lamps(2)
			tt.upset(s)
			r := s.call("run", "--once", "--json", "--patience", "3s")
			if r.code != tt.code {
				t.Errorf("exit %d, want %d\n%s", r.code, tt.code, tail(r.stderr))
			}
			if sum := s.summaryOf(r); (sum.Error != "") != (tt.code > 1) { // also where none could be begun
				t.Errorf("error %q at exit %d", sum.Error, sum.Exit)
			}
			if strings.HasPrefix(tt.name, "one stands") || strings.Contains(tt.name, "away") {
				s.ends(tt.code, "status", "--check")
			}
			for _, secret := range []string{marketToken, shopToken} {
				if strings.Contains(r.stdout+r.stderr, secret) {
					t.Errorf("%s is shown", secret)
				}
			}
		})
	}
}

func TestInterruptedTwiceEndsAtOnce(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	s.shop.rules(always(shoptest.Reply{Wait: time.Minute}))
	p := launch(t, s.dir, s.env.with("ADMIN_LISTEN", "off"), "run")
	eventually(t, 10*time.Second, "a PUT is under way", func() bool { return len(s.contentReads()) == 1 })
	time.Sleep(100 * time.Millisecond) // let the request reach the shop
	p.signal(sigint)
	throughout(t, time.Second, "it waits for what is under way", p.running)
	p.signal(sigint)
	if code := p.code(3 * time.Second); code != 130 {
		t.Errorf("exit %d, want 130", code)
	}
}

// All of them work beside a worker, and an id is data to them. Of what is missing here other tests read the document.
func TestEveryCommandThatPrintsDataPrintsOneJSONDocument(t *testing.T) {
	unraced(t)
	const id = "--../x%2e"
	s := open(t, sandbox.Options{})
	s.market.Add(sandbox.Publication{ID: id, Listing: lamp(1)})
	s.lamps(1)
	w := s.work()
	w.settles(2)
	for _, command := range []string{
		"status", "publications", "adapters", "backup copy.db", "retry --all", "approve --all", "approve --list",
		"decline --list", "conform",
	} {
		var document any
		s.ends(0, append(strings.Fields(command), "--json")...).decode(t, &document)
	}
	var e struct{ ID string }
	if s.ends(0, "explain", "--json", "--", id).decode(t, &e); e.ID != id {
		t.Errorf("explain %s tells of %q", id, e.ID)
	}
	w.stop()
}

// TestScripts plays the stories in testdata/script, in which a person types commands and reads what
// they print.
func TestScripts(t *testing.T) {
	unraced(t)
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			var vars []string
			for _, v := range e.Vars {
				if !strings.HasPrefix(v, "PUBSYNC_") && !strings.HasPrefix(v, "PATH=") {
					vars = append(vars, v)
				}
			}
			e.Vars = append(vars, "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// Each row is a shop and what is set: the exit code, and what is said. The token is shown nowhere.
func TestConform(t *testing.T) {
	unraced(t)
	t.Parallel()
	refuses := always(problem(422, "you sent Bearer "+shopToken))
	for _, tt := range []struct {
		name string
		rule func(shoptest.Call) shoptest.Reply
		set  []string
		code int
		want string
	}{
		{"a good shop, another adapter is chosen", nil, []string{"SHOP_ADAPTER", "catalog"}, 0, "held     idempotent"},
		{"a shop that takes nothing", refuses, nil, 1, "broken   idempotent"},
		{"a token that is refused", nil, []string{"HTTP_TOKEN", "another-token"}, 4, "PUBSYNC_HTTP_TOKEN"},
		{"nobody there", nil, []string{"HTTP_URL", "http://127.0.0.1:1"}, 4, "the laws cannot be exercised"},
		{"no address", nil, []string{"HTTP_URL", ""}, 2, "PUBSYNC_HTTP_URL"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shop := openShop(t)
			shop.rules(tt.rule)
			env := settings{}.with("HTTP_URL", shop.server.URL, "HTTP_TOKEN", shopToken).with(tt.set...)
			r := call(t, t.TempDir(), env, "conform")
			said := r.stdout + r.stderr
			if r.code != tt.code || !strings.Contains(said, tt.want) || strings.Contains(said, shopToken) {
				t.Errorf("exit %d, want %d, %q and no token: %s", r.code, tt.code, tt.want, tail(said))
			}
		})
	}
}

// All that is known of a publication is told, in words and as JSON. It is found by its title or a part
// of it, too; where several have it a command that lists them is named.
func TestExplainTellsAllThatIsKnown(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	id := ids[0]
	s.set("PRICE_MARKUP_PERCENT", "10", "PRICE_ENDING", ".95", "STOCK_BUFFER", "2")
	s.imported()
	// The price moves too far, the stock a little, and the shop does not like the blue one.
	s.shop.rules(func(r shoptest.Call) shoptest.Reply {
		return shoptest.Reply{Refused: map[string]string{r.Product.Variants[1].ID: "the shop knows no blue"}}
	})
	if err := s.market.Update(id, func(l *sandbox.Listing) {
		l.Variants[0].MSRP, l.Variants[0].Quantity = "90.00", 1
	}); err != nil {
		t.Fatal(err)
	}
	s.once()
	p, _ := s.market.Publication(id)
	shopID := s.shop.product(t, id).Listing
	facts := []string{
		"held",                            // state
		p.Listing.ID, p.Listing.ProductID, // source
		string(shopID), addressOf(shopID), "L1-R", // mapping
		"20 ", "10 %", "22.95", // how the price came about
		"offered 1 - 2 kept back = 0", "offered 7 - 2 kept back = 5", // and the stock
		"the shop knows no blue", "99.95", // what is refused and what is held
		"created", "stock of Red 10 -> 0", "reported success", // last attempts
	}
	told := func(code int, want []string, args ...string) {
		t.Helper()
		r := s.ends(code, append([]string{"explain"}, args...)...)
		for _, fact := range want {
			if !strings.Contains(r.stdout+r.stderr, fact) {
				t.Errorf("explain %q: no %q in %s%s", args, fact, r.stdout, r.stderr)
			}
		}
	}
	told(0, facts, "lamp 1")
	told(0, facts, id, "--json")
	told(2, []string{"several titles", `publications "lamp"`}, "lamp")
	told(1, []string{"no such publication"}, "no such title")
	if r := s.ends(0, "publications", "AMP 2"); !strings.Contains(r.stdout, ids[1]) || strings.Contains(r.stdout, id) {
		t.Errorf("publications of a part of a title: %s", r.stdout)
	}
	s.set("PRICE_MARKUP_PERCENT", "50")
	told(0, []string{"the shop has 22.95: the settings have changed"}, id)
}

func TestAQuietRunPrintsOnlyWhenItFails(t *testing.T) {
	unraced(t)
	const chatSecret = "T0K3N-of-the-chat"
	told := make(chan string, 9)
	chat := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var doc struct{ Text, Content string }
		if err := json.NewDecoder(r.Body).Decode(&doc); err != nil || doc.Text != doc.Content ||
			!strings.Contains(r.URL.Path, chatSecret) {
			t.Errorf("got %v and %+v at %s, want a document with a text and a content", err, doc, r.URL.Path)
		}
		told <- doc.Text
	}))
	defer chat.Close()
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	cron := func(what, failOn string, code int, says ...string) {
		t.Helper()
		r := s.ends(code, "run", "--once", "--quiet", "--fail-on", failOn, "--patience", "3s")
		if silent := r.stdout+r.stderr == ""; silent != (code == 0) {
			t.Errorf("%s: got %q and %q at exit %d, want nothing at exit 0 alone", what, r.stdout, r.stderr, code)
		}
		for _, say := range says {
			if !strings.Contains(r.stdout, say) {
				t.Errorf("%s: got %q, want %q in it", what, r.stdout, say)
			}
		}
		if strings.Contains(r.stdout+r.stderr, chatSecret) {
			t.Errorf("%s: the secret of the chat is shown", what)
		}
	}
	const all = "rejected,blocked,held,pending,refused"
	cron("all well", all, 0)
	s.shop.rules(only(ids[0], problem(422, "no")))
	s.market.Update(ids[0], func(l *sandbox.Listing) { l.Texts["en"] = sandbox.Text{Title: "Another lamp"} })
	cron("one rejected", all, 1, "rejected 1", ids[0], "Another lamp", "no")
	cron("one rejected, others were named", "blocked,held,pending,refused", 0)
	if r := s.call("status"); !strings.HasPrefix(r.stdout, "needs you   nothing\n") {
		t.Errorf("one rejected, which is the supplier's: status says %q first, want that nothing is to do", r.stdout)
	}
	s.market.Supply(ids[1], []string{"msrp=200.00"})
	cron("one held", "held", 1, "held 1", ids[1])
	const waits = "needs you   products with a change that waits for your approval: 1"
	if r := s.call("status"); !strings.HasPrefix(r.stdout, waits) || !strings.Contains(r.stdout, "approve --list") {
		t.Errorf("one held: status says %q first, want that it waits for an approval", r.stdout)
	}
	s.set("MARKETPLACE_URL", nobody(t), "ALERT_URL", chat.URL+"/hooks/"+chatSecret)
	cron("the marketplace is away", "", 3, "ended early: ")
	cron("it still is", "", 3) // this is told once an hour
	if len(told) != 1 {
		t.Fatalf("got %d messages within the hour, want one", len(told))
	}
	if got := <-told; !strings.Contains(got, "needs you:") || !strings.Contains(got, "a run ended early: ") {
		t.Errorf("got %q, want why the run ended", got)
	}
}
