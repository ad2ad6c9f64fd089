package laws_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A sabotage is one mistake of the reference adapter.
type sabotage string

const (
	none                 sabotage = "none"
	roundsPrices         sabotage = "writes prices without their cents"
	appendsPictures      sabotage = "appends the pictures to those that are there"
	stockOnce            sabotage = "writes stock at creation only"
	writesEverything     sabotage = "writes every group whatever changed"
	knowsHintAlone       sabotage = "looks for a listing by its hint alone"
	believesHint         sabotage = "takes what the hint points to without looking at the stamp"
	believesState        sabotage = "writes a variant's figures only where they are not those of its state"
	goneWithHint         sabotage = "takes a hint that leads nowhere for a deleted listing"
	unescapedKey         sabotage = "does not escape the key in a query"
	neverRemoves         sabotage = "never removes a variant"
	optionsOnce          sabotage = "writes a variant's options at its creation only"
	ownNames             sabotage = "writes its own names of options beside those that the merchant gave them"
	othersPrice          sabotage = "gives each variant the price of the first"
	putsBack             sabotage = "puts its own names of options back"
	deleteHides          sabotage = "hides what it should delete"
	missingIsAnError     sabotage = "cannot unpublish what is not there"
	staysOff             sabotage = "puts a listing on sale only once"
	sellsDrafts          sabotage = "puts on sale what is to be a draft"
	hidesAsDraft         sabotage = "takes off sale what is to be a draft"
	draftsSilently       sabotage = "makes a draft without saying so"
	recreates            sabotage = "makes a deleted listing again"
	deletesAdopted       sabotage = "deletes what it took over"
	keepsStamp           sabotage = "leaves its stamp on what it took over and gave back"
	leavesVariants       sabotage = "leaves variants of its own on what it gave back"
	showsHidden          sabotage = "puts on sale what the merchant took out of sale"
	leavesHidden         sabotage = "never puts on sale what is not"
	adoptsBySKU          sabotage = "adopts a product that looks like ours"
	refusalIsFatal       sabotage = "gives up at the first refused variant"
	nothingLeftIsFine    sabotage = "is content with no variant at all"
	rejectionIsTransient sabotage = "tries a refused product for ever"
	overwritesEdits      sabotage = "overwrites the merchant's edit"
	forgetsReset         sabotage = "keeps an edit that was reset"
	keepsSilently        sabotage = "keeps an edit without saying so"
	stampsLater          sabotage = "writes the stamp in a call of its own, after the text"
	uploadsAlways        sabotage = "uploads every picture at every change"
	uploadsBlindly       sabotage = "uploads without looking whether a lost call has done it"
	forgetsPictures      sabotage = "leaves out a picture that it cannot get without a word"
	givesUpPictures      sabotage = "tries a picture once and never again"
	neverLater           sabotage = "takes a picture that cannot be fetched for a refused one"
	alwaysLater          sabotage = "tries a refused picture for ever"
	pictureIsFatal       sabotage = "waits for every picture before anything is on sale"
	pictureIsRejection   sabotage = "rejects the product for one of its pictures"
	createsThenStamps    sabotage = "creates first and stamps in the next call"
	believesHTML         sabotage = "takes every 200 for an answer of the shop's"
	onSaleFirst          sabotage = "creates on sale"
	throttleIsPlain      sabotage = "reports a 429 like any other error"
	serverErrorBlocks    sabotage = "blocks at a server error"
	refusalIsTransient   sabotage = "tries refused credentials for ever"
	refusalIsNarrow      sabotage = "blocks one product for refused credentials"
	showsAnswer          sabotage = "shows the shop's answer as it came"
	followsRedirects     sabotage = "follows redirects with a header of its own"
	sharesProduct        sabotage = "shares one product between all calls"
	ignoresContext       sabotage = "makes its requests with a context of its own"
	checksContextOnce    sabotage = "looks at the context before the first request only"
	hidesCause           sabotage = "hides the context's error"
	sortsVariants        sabotage = "sorts the caller's variants"
	appendsToImages      sabotage = "appends to the caller's images"
	listsOnSaleOnly      sabotage = "lists what is on sale only"
	listsForeign         sabotage = "lists what others made"
	looksEmpty           sabotage = "lists nothing where it should report an error"
	alwaysFine           sabotage = "finds every shop in order"
	restocksOne          sabotage = "brings one variant's figures in line and no other's"
	restocksAll          sabotage = "writes the figures of a group that is not named"
	restocksTexts        sabotage = "writes texts together with the figures"
	restocksUnknown      sabotage = "makes a listing for the figures of one that it does not know"
	restocksSome         sabotage = "takes figures that are not those of its variants"
	restocksHidden       sabotage = "brings figures in line of what the merchant took out of sale"
	unreachableIsBlocked sabotage = "takes a shop that is down for bad credentials"
	observesCents        sabotage = "observes prices without their cents"
	numbersVariants      sabotage = "numbers the variants that it observes"
	countsNothing        sabotage = "observes no stock"
	seesNoPictures       sabotage = "observes no pictures"
	observesOnSale       sabotage = "observes what is on sale only"
	observesNothing      sabotage = "observes nothing where it should report an error"
	ignoresRefs          sabotage = "observes all whatever is asked for"
	noneIsAll            sabotage = "observes all where nothing is asked for"
	stampsObserved       sabotage = "writes on what it observes"
	observesOneByOne     sabotage = "reads each listing that it observes by itself"
	observesForeign      sabotage = "observes what others made"
	observesByHint       sabotage = "observes what a hint points to without looking at the stamp"
	observesMemory       sabotage = "observes what it wrote"
	observesShown        sabotage = "observes a reduced price as the price"
	observesLowered      sabotage = "observes a reduced price beside itself"
	offIsOnSale          sabotage = "observes as on sale what is switched off"
	offIsGone            sabotage = "does not observe what is switched off"
	seesNoEdit           sabotage = "observes no edit"
	oneEditIsAll         sabotage = "takes one edit for an edit of all texts"
	makesOnce            sabotage = "makes variants once and never again"
	switchesOn           sabotage = "switches on each variant that it writes"
	neverRevives         sabotage = "never switches on what was switched off"
	overwritesDetails    sabotage = "overwrites a detail that the merchant typed"
	oneDetailIsAll       sabotage = "leaves all details as they are for one that the merchant typed"
	detailsOnce          sabotage = "writes details at creation only"
	clearsUnknown        sabotage = "clears details that could not be read"
	unmarkedIsGone       sabotage = "takes a listing whose stamp was deleted for a deleted one"
	takesBackUnasked     sabotage = "takes back what has lost its stamp without being asked"
	neverTakesBack       sabotage = "never takes back what has lost its stamp"
	restocksReset        sabotage = "writes figures alone though a text is given back"
	unstampsMeanwhile    sabotage = "takes its stamp away while it writes figures"
	factsLater           sabotage = "says that it wrote a detail when it finds it written"
	keepsStrays          sabotage = "leaves what a late creation made"
	writesGross          sabotage = "writes prices with tax where the shop adds it"
	escapedIsEdited      sabotage = "takes a text that is escaped for an edited one"
)

// saboteurs are the mistakes that each law must catch.
func saboteurs() map[string][]sabotage {
	return map[string][]sabotage{
		"publish":                      {roundsPrices},
		"idempotent":                   {appendsPictures},
		"last-wins":                    {stockOnce},
		"only-changed":                 {writesEverything},
		"restart-without-hint":         {knowsHintAlone},
		"stale-hint":                   {believesHint, goneWithHint, believesState},
		"hostile-ids":                  {unescapedKey},
		"variants":                     {neverRemoves, optionsOnce},
		"choice":                       {optionsOnce, othersPrice},
		"renamed-choice":               {ownNames, putsBack},
		"unpublish":                    {deleteHides, knowsHintAlone},
		"unpublish-twice":              {missingIsAnError},
		"republish":                    {staysOff},
		"draft":                        {sellsDrafts, hidesAsDraft, draftsSilently},
		"deleted-by-hand":              {recreates},
		"hidden-by-hand":               {showsHidden, leavesHidden},
		"stamp-deleted":                {unmarkedIsGone, takesBackUnasked, neverTakesBack},
		"foreign":                      {adoptsBySKU, believesHint},
		"adopted":                      {deletesAdopted, keepsStamp, leavesVariants},
		"refused-variant":              {refusalIsFatal, nothingLeftIsFine},
		"refused-product":              {rejectionIsTransient},
		"merchants-edit":               {overwritesEdits, forgetsReset, keepsSilently},
		"edit-not-invented":            {stampsLater},
		"details-shown":                {detailsOnce},
		"merchants-detail":             {overwritesDetails, oneDetailIsAll},
		"details-unknown":              {clearsUnknown},
		"image-once":                   {uploadsAlways, uploadsBlindly},
		"late-picture":                 {forgetsPictures, givesUpPictures, neverLater, pictureIsFatal, uploadsAlways},
		"refused-picture":              {forgetsPictures, alwaysLater, pictureIsFatal, pictureIsRejection},
		"lost-answer":                  {createsThenStamps, knowsHintAlone, missingIsAnError},
		"fault-half-way":               {believesHTML, serverErrorBlocks},
		"never-half-built":             {onSaleFirst},
		"error-kinds":                  {throttleIsPlain, serverErrorBlocks, believesHTML},
		"credentials":                  {refusalIsTransient, refusalIsNarrow},
		"no-secret":                    {showsAnswer, followsRedirects},
		"parallel":                     {sharesProduct},
		"cancel":                       {ignoresContext, checksContextOnce, hidesCause},
		"input-unmodified":             {sortsVariants, appendsToImages},
		"lister":                       {listsOnSaleOnly, listsForeign, looksEmpty, observesOnSale, observesNothing},
		"restock":                      {restocksOne, restocksAll, restocksTexts, believesState},
		"restock-asks-whole":           {restocksUnknown, restocksSome, restocksReset},
		"restock-lost-answer":          {unstampsMeanwhile},
		"restock-leaves-the-merchants": {restocksTexts, restocksHidden, overwritesEdits},
		"restock-refused-variant":      {refusalIsFatal},
		"detail-lost-answer":           {factsLater},
		"translation-lost-answer":      {stampsLater},
		"late-creation":                {keepsStrays},
		"net-price":                    {writesGross},
		"checker":                      {alwaysFine, unreachableIsBlocked},
		"observed-as-written":          {observesCents, numbersVariants, countsNothing, seesNoPictures},
		"observed-some":                {ignoresRefs, noneIsAll},
		"observed-idle":                {stampsObserved},
		"observed-cost":                {observesOneByOne},
		"observed-foreign":             {observesForeign, observesByHint},
		"observed-price":               {observesMemory, believesState, restocksOne},
		"observed-quantity":            {observesMemory, countsNothing, believesState, restocksOne},
		"observed-reduction":           {observesShown, observesLowered},
		"observed-variant-gone":        {observesMemory, makesOnce},
		"observed-variant-off":         {offIsOnSale, offIsGone, switchesOn, neverRevives},
		"observed-edit":                {seesNoEdit, oneEditIsAll},
		"observed-unedited":            {escapedIsEdited},
	}
}

// The reference adapter is excused from nothing.
func TestReferenceKeepsTheLaws(t *testing.T) {
	for _, law := range laws.Laws() {
		t.Run(law.ID, func(t *testing.T) {
			if err := verdict(t, law, subject(none)); err != nil {
				t.Errorf("%s\ngot %v, want nil", law.Sentence, err)
			}
		})
	}
}

func TestEverySaboteurIsCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign")
	}
	all := saboteurs()
	for _, law := range laws.Book() {
		if len(all[law.ID]) == 0 && !law.OfProtocol() {
			t.Errorf("saboteurs of %s: got none, want one", law.ID)
		}
		for _, s := range all[law.ID] {
			t.Run(law.ID+"/"+string(s), func(t *testing.T) {
				err := verdict(t, law, subject(s))
				var skip *laws.Skip
				if err == nil || errors.As(err, &skip) {
					t.Errorf("an adapter that %s: got %v, want it caught by %q", s, err, law.Sentence)
				}
				t.Log(err)
			})
		}
		delete(all, law.ID)
	}
	for id := range all {
		t.Errorf("saboteurs of %q: got some, want none, since it is no law", id)
	}
}

func subject(s sabotage) laws.Harness {
	shop := newRefShop()
	h := shop.harness(func(rt http.RoundTripper) shopadapter.Adapter { return newRefAdapter(rt, s) })
	h.OpenAdopting = func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
		a := newRefAdapter(wrap(shop), s)
		a.adopting = true
		return a, nil
	}
	return h
}

// verdict exercises a law in a bubble, where the suite's patience costs no time and a goroutine
// left behind is a failure.
func verdict(t *testing.T, law laws.Law, h laws.Harness) (err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { err = law.Check(t.Context(), h) })
	return err
}

// withoutTransport is the reference adapter as one that makes no HTTP requests: its durable steps
// happen to be requests, which only the harness can see.
func withoutTransport(s sabotage) laws.Harness {
	steps := &steps{shop: newRefShop(), left: -1}
	h := steps.shop.harness(nil)
	h.NoTransport = true
	h.Open = func(func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
		return newRefAdapter(steps, s), nil
	}
	h.Interrupt = steps.interrupt
	h.Watch = steps.watch
	h.Without = map[string]string{
		"fault-half-way": "there is nobody who could answer in the shop's place",
		"error-kinds":    "there is nobody who could answer in the shop's place",
		"no-secret":      "there is nobody who could answer in the shop's place",
	}
	return h
}

// steps is a process that can be made to die at a step.
type steps struct {
	shop *refShop

	mu   sync.Mutex
	left int // steps before death; < 0: it lives on
	dead bool
	look func()
}

func (s *steps) interrupt(k int) (lift func() (struck bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left, s.dead = k, false
	return func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		struck := s.dead
		s.left, s.dead = -1, false
		return struck
	}
}

func (s *steps) watch(step func()) (stop func()) {
	set := func(look func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.look = look
	}
	set(step)
	return func() { set(nil) }
}

func (s *steps) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	if s.left > 0 {
		s.left--
	}
	s.dead = s.dead || s.left == 0
	dead, look := s.dead, s.look
	s.mu.Unlock()
	if look != nil {
		look()
		defer look()
	}
	if dead {
		return nil, errors.New("the process died here")
	}
	return s.shop.RoundTrip(req)
}

func TestReferenceKeepsTheLawsWithoutTransport(t *testing.T) {
	laws.Run(t, func(*testing.T) laws.Harness { return withoutTransport(none) })
}

func TestSaboteursAreCaughtWithoutTransport(t *testing.T) {
	for id, mistakes := range map[string][]sabotage{
		"lost-answer":       {createsThenStamps, knowsHintAlone},
		"edit-not-invented": {stampsLater},
		"image-once":        {uploadsAlways, uploadsBlindly},
		"never-half-built":  {onSaleFirst},
		"cancel":            {ignoresContext, hidesCause},
	} {
		for _, s := range mistakes {
			t.Run(id+"/"+string(s), func(t *testing.T) {
				if err := verdict(t, law(t, id), withoutTransport(s)); err == nil {
					t.Errorf("an adapter that %s: got nil, want it caught", s)
				}
			})
		}
	}
}
