// Package publication holds every rule about one publication: how the marketplace's listing becomes
// the shop's product, what a change of it is, what a brake holds, in which state it stands, and
// what the marketplace is owed. It is pure: it reads no clock, store, network or log, starts
// nothing, and is told what it needs as data. Other packages carry its answers out, or print them;
// none of them assigns a field of a record that the rules read.
//
// A look begins with [Decider.Decide], from the record, its mark and what was read. The [Decision]
// names the next step. The worker carries the step out, and Compared or Concluded decide what
// follows, until a decision settles the look: [Decision.Settlement] is the next record, the next
// mark and the report that is owed. A dry run does the same with a shop that takes everything.
//
// Each event outside of a look is a transition of its own: a function that changes a settlement,
// and reports whether there is something to write:
//
//	Listed.Apply    a sweep met the entry on the list
//	Absent          an enumeration did not, and the marketplace says that it is gone
//	Verdict.Apply   the brake judged the removals that were found together
//	Retry, Approve  a person asks for a look, or lets a held change through
//	Acknowledge     the marketplace took a report; RefuseReport: it did not; Vanished: it knows the
//	                publication no longer
//	Drift.Apply     the shop's listings show what somebody did there by hand
//	Outage.Apply    the shop has been in trouble for too long
//	Revision.Apply  the rules have changed by which it stands in the shop
//	Adopt, Doubt    the store was lost, or is a backup that was put back
//
// The golden tables testdata/decide.golden and testdata/state.golden hold all of this: from every
// state, by all that may be read, and by every way in which a look may end.
//
// # What it keeps
//
//   - An entry without a title in the languages asked for waits for its translation until
//     FailAfter, and is neither rejected nor reported before. What is on sale stays.
//     (TestATranslationThatComesLater, TestWhatIsOnSaleAndLosesItsTitleStays,
//     TestAnEntryThatShowsNothingWaits)
//   - A publication that is listed again is on sale again, even where the shop's answer to its
//     withdrawal was lost. (TestWhatIsListedAgainAfterARemovalThatNobodyHeardOfIsOnSale)
//   - A field that a product can do without and that has a shape that cannot be read costs itself,
//     and stands in explain: what the shop has of it stays, and the next reading that shows it
//     brings it. (TestFieldsOfAnotherShape, TestWhatCannotBeReadStays,
//     TestWhatCannotBeReadComesLater, TestShippingIsAListOrOne)
//   - An entry that stays on the list and loses its listing or its variants is withdrawn like one
//     that is gone, and reported failed, whatever is to be done with entries that are gone. It is
//     success again when they are back. One that was never on sale waits. (TestNothingToList,
//     TestALostListingIsReported, TestWhatWasNeverOnSaleWaitsForItsListing,
//     TestAnEntryThatShowsNothingWaits)
//   - What has been withdrawn for ForgetAfter since its entry is gone is forgotten, but that it
//     was ours, and the SKUs of a listing that the shop may hold. Listed again it is published on
//     that listing. (TestWithdrawnPublicationsAreForgotten, TestWhatIsNotForgotten,
//     TestForgettingIsBounded, TestARemovalIsFoundByCronAndForgotten)
//   - A product of the merchant's own that was taken over is never deleted: it is given back out
//     of sale, and explain says so. (TestWhatWasGivenBackIsTold, TestAdoptedProductIsGivenBack)
//   - A price that moves too far, and a first price far from the msrp, is not shown until a person
//     approves that very price. While the end of an attempt is not known the price that it sent
//     counts beside the last settled one. (TestPriceBrake, TestAFirstPriceIsHeld,
//     TestAFirstPriceOfWhatIsOnSaleAlready, TestThePriceBrakeKnowsAnOpenAttempt)
//   - Rules of prices and stock that have changed make both anew at the next start, of the
//     supplier's figures as last read and for no points. What that does not do is read like a
//     refresh, and so is everything where other settings have changed that decide what stands in
//     the shop. Prices that would move though no setting has changed are held together. A plan
//     beside a worker goes by the caller's rules, and status tells what has yet to follow.
//     (TestChangedRulesCostNoPoints, TestRulesBesideAWorker, TestStatusOfChangedRules,
//     TestSecretSourceTellsOfSettings, TestWhatCannotBeRepricedIsRead, TestChangedRulesOverAKill,
//     TestThePriceBrakeHoldsChangedRules, TestRulesThatNobodyChangedAreHeld,
//     TestWhatOtherRulesDoNotRefuse, TestOtherSettingsHaveContentReadAgain)
//   - Texts from elsewhere are bounded in length: an entry or an answer beyond is refused with its
//     reason. Webhooks for unknown publications leave nothing behind.
//     (TestListingsThatCannotBeKept, TestEntriesThatAreTooLong,
//     TestWebhooksForNothingLeaveNothing)
package publication
