// Package probe asks the shop whether it takes products again while its breaker is open, and has
// the publications tried again that wait for it.
//
// # What it keeps
//
//   - A maintenance of seconds is no pause of minutes, whatever Retry-After says. An adapter with
//     a check is asked every thirty seconds of a pause longer than a minute, and at once when a
//     person asks for something. A run waits meanwhile, and says for what.
//     (TestAMaintenanceOfSecondsIsNotAPauseOfMinutes, TestAPersonAsksDuringAPause,
//     TestARunDuringAPause)
//   - No price is written to a shop that says that it sells in another currency. It is asked at
//     start, with each check and resync, and before a write for which its last answer is older
//     than five seconds or a sweep. (TestAShopInAnotherCurrency,
//     TestTheCurrencyChangesUnderAWorker)
//   - A visitor is shown the price that the rules made, also where the shop takes prices without
//     tax. Where that changes in the shop, every price is written again.
//     (TestLawsInAShopWithNetPrices, TestNetPrices, TestTaxSettingsChange)
//   - A publication that is blocked because the shop refused everything is tried again once the
//     shop's check passes, or the shop takes another product. (TestBlockedOverAnOutageAtStart,
//     TestBlockedUntilAnotherProductIsTaken)
package probe
