// Package connector reconciles a marketplace's import list with a shop.
//
// The import list is the desired state, the shop is the observed state. A webhook or a sweep only ever says *look at publication X*; looking means
// fetching X, comparing it with what was last written, and bringing the shop in line. An adapter is a durable map from publication to shop listing, so
// every step may be repeated. What a look leads to, the record, the time of the next look and the report that is owed, is one transaction: a crash is a
// normal way to stop, and nothing that is under way is written down.
//
// # States
//
// A publication is in exactly one state, the first of these that fits. The function stateOf is this table.
//
//	blocked    the merchant must do something; tried again when asked, or when the shop's check passes
//	rejected   the shop, or the price rules, refuse it as the supplier gives it; tried again when that changes, or when asked
//	held       a brake holds a change, the rest is made; tried again when approved, or when it is taken back upstream
//	pending    not settled: new, or a transient error; tried again at once, then with backoff
//	partial    on sale, some variants refused; tried again when the supplier changes it
//	live       on sale, as last read; looked at when it changes
//	withdrawn  gone from the import list and out of sale; comes back when it is listed again
//
// # What is guaranteed
//
// Each guarantee is followed by the tests that hold it. Two of them hold most of it at once: TestKillsAtEveryStepLoseAndDoubleNothing kills the binary at
// each of some forty steps of an import while both sides fail in every way, and TestShopIsTheImportList compares marketplace, connector and shop with a
// model under whatever happens in whatever order.
//
// To what is on sale and what is said of it:
//
//   - One listing a publication, whatever answer is lost and whoever is killed, given an adapter that keeps the laws of shopadaptertest.
//     (TestKillsAtEveryStepLoseAndDoubleNothing, TestReportsUnderFaults)
//   - No entry is skipped and the last content wins: what the supplier changed last is what the shop shows once everything has settled, though entries move
//     while they are listed, share an updatedAt over the edge of a page, or a cursor is refused, and though a clock is set back. A change that falls between
//     the reading of the content and the look before the report is not hidden by the report's own move of updatedAt. (TestShopIsTheImportList,
//     TestChangeBehindTheEcho, TestClockSetBack)
//   - Every status that is owed is reported, at least once, until it is acknowledged; a later status replaces an earlier one. (TestReportsUnderFaults,
//     TestLostReportIsFoundByEnumeration)
//   - No report that was never true: success is owed in the transaction that records the listing on sale, and a refusal is settled, and failed owed, only
//     once what an attempt without an answer may have put on sale is out. (TestKillsAtEveryStepLoseAndDoubleNothing,
//     TestARejectedProductIsNotOnSaleByAnAttemptThatNobodyHeardOf)
//   - What is listed again is on sale again, also when the shop was asked to take it out and nobody heard its answer.
//     (TestWhatIsListedAgainAfterARemovalThatNobodyHeardOfIsOnSale)
//   - Absence is believed only from a complete enumeration and after the marketplace has been asked for that publication by itself; an empty list or an
//     authorisation error withdraws nothing; a mass removal waits for a person. (TestRemovals, TestRemovalsOfADayCountTogether, TestAbsenceIsNotBelieved)
//   - A price that moves too far is not shown until a person approves that very price. (TestPriceBrake)
//   - A plan writes nothing: a [Planner] holds nothing that could. (TestPlannerCannotWrite)
//
// To what is kept:
//
//   - A webhook is acknowledged only once what it points at is durable. (TestAnAcknowledgedWebhookSurvivesAKill, TestWhatIsAcceptedSurvivesAKill)
//   - A full disk refuses webhooks with 503, loses nothing that was acknowledged, is told of once, and is recovered from without a restart.
//     (TestAFullDiskRefusesWebhooksWith503AndLosesNoneThatWasAcknowledged, TestASingleRunWithoutRoomIsPatientAndThenSaysSo)
//   - A store that is damaged, anywhere, is not worked with and not touched: every command says so, names the way out and exits with 5, and so does a worker
//     whose store goes bad under it or is replaced. (TestADamagedStoreEndsEveryCommandWithExit5AndIsLeftAsItIs, TestFlippedBits, TestDamageWhileOpen,
//     TestAStoreThatIsDamagedUnderTheWorkerEndsItWithExit5, TestAStoreThatIsReplacedEndsTheWorker)
//   - A backup holds all that was acknowledged before it began, and one that is put back, or a store that is rebuilt from the shop, doubles nothing.
//     (TestBackupsUnderLoadHoldWhatWasAcknowledged, TestBackupOfWhatAKilledWorkerLeft, TestPutBackFromABackup, TestTheWayOutOfADamagedStore)
//   - A store of every released schema opens. (TestGoldenStore)
//
// To how it runs:
//
//   - One publication that always fails, hangs, panics an adapter or the mapping, or is megabytes large slows no other and stands in explain with its
//     history. (TestPoisonSlowsNobody, TestPoisonInASingleRun)
//   - Ten thousand webhooks in a burst while the shop is down are each acknowledged within the marketplace's five seconds, in bounded memory, and what they
//     name is worked once, in the order of its urgency. (TestTenThousandWebhooksWhileTheShopIsDown, TestBurstOfDistinctPublications, TestBurstIsDrainedInOrder)
//   - It may be left alone: after a week of schedules, outages, a revoked token and a lost registration goroutines, memory and store are as they were.
//     (TestWeek)
//   - Whoever holds on to connections, sends slowly, much or nothing keeps no webhook out and takes no file handle that store or shop need.
//     (TestWhoeverHoldsOnKeepsNobodyOut, TestCrowd, TestReadingRoom)
//   - The admin listener answers no foreign host name, no page of another origin and, off loopback, nobody without its token. (TestAdminHosts,
//     TestAdminOrigins, TestAdminToken)
//   - Identifiers and texts from elsewhere are data wherever they are shown or become a path, and no secret is shown, also not one that a server throws
//     back. (TestHostileIDs, TestNoSecretIsShownAnywhere, TestNoSecretComesBack)
//
// # What is not
//
//   - Exactly-once reports. An acknowledgement that is lost may be followed by the same report once more.
//   - A supplier's change in the one round trip between the light look and the report may hide behind the report's move of updatedAt. It reaches the shop
//     when the content is read again, after RefreshAfter at the latest. (TestChangeBehindTheEcho)
//   - A price or stock that changes without moving updatedAt is seen by an unsigned webhook or after RefreshAfter, not before.
//   - A product every one of whose answers was lost for longer than FailAfter may be reported failed while the shop sells it.
//   - Power failure on a file system that loses what it said was written, and a copy of the store made otherwise than by backup.
//   - A call to the shop that hangs keeps its place until the adapter's time is up: with one place, so do all others.
//
// # Layout
//
// engine.go works off the due set; reconcile.go is one look, publish.go its writing half, settle.go its end; state.go says what comes next, and is pure, as
// are price.go, brake.go and product.go. sweep.go lists, removal.go deals with what is no longer listed, report.go empties the outbox. gate.go stands before
// each of the two other sides and shuts when it fails. once.go is a single run, plan.go what one would do, webhook.go, admin.go and serve.go the doors.
package connector
