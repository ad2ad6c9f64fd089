// Package outbox tells the marketplace what is owed to it: the loop over the reports that the store
// keeps until they are acknowledged.
//
// # What it keeps
//
//   - Every status that is owed is reported, at least once, until it is acknowledged, also when
//     the marketplace refuses it; a later status replaces an earlier one. A refusal counts, and
//     stands in explain, until the report is taken. (TestReportsUnderFaults,
//     TestLostReportIsFoundByEnumeration, TestARefusedReportIsMadeAgain,
//     TestRefusedReportsAreWoken, TestAnotherReportTakesThePlaceOfARefusedOne)
//   - No report that was never true: success is owed in the transaction that records the listing
//     on sale, and a refusal is settled, and failed owed, only once what an attempt without an
//     answer may have put on sale is out. (TestKillsAtEveryStepLoseAndDoubleNothing,
//     TestARejectedProductIsNotOnSaleByAnAttemptThatNobodyHeardOf)
//   - A token that may read and not report pauses nothing: reports stay owed and count as refused,
//     doctor and status name the missing right, and the first report that is taken brings all
//     others. (TestReportsThatAreDenied, TestAWorkerWhoseReportsAreDenied,
//     TestTheDoctorNamesTheRightToReport)
//   - Reports that the marketplace refuses again and again cost a tenth of its points at most, and
//     keep no other report waiting. (TestRefusedReportsBackOff, TestRefusedReportsAreNoStorm)
package outbox
