// Package worker works off the due set. A mark goes one way, from its claim to its settling:
//
//	schedule   claims what is next in a queue
//	look       reads the publication, has package publication decide, carries out, settles
//	call       calls the shop for it, in one of its slots
//
// A Worker joins the three: each of its goroutines claims, looks, and claims again.
//
// # What it keeps
//
//   - While more changes are due than the marketplace's bucket pays for within three seconds,
//     prices and stock win first: the look at a change reads the figures of all that are due
//     before anything else of them, and writes them. The remainder of the content is owed from then
//     on, and is read once nothing more urgent is due. Several changes share it. Each fourth look is
//     one at a remainder that has waited for half an hour. A remainder that has waited for an hour is
//     a change like any other: where its publication changes again, that change is read in full in
//     its turn, and to all other such remainders, the oldest first, go half the points of all looks.
//     Such a remainder is read, at the latest, when the looks have been paid twice what those before
//     it cost. A change keeps the place of its own time, whatever remainder its publication owes. A
//     variant that came or went has its publication read in full at once, and so has what is not
//     settled or what a person asks for. This takes an adapter that is a shopadapter.Restocker;
//     all others, and every change that is no backlog, are read in full.
//     (TestFiguresOfABacklogComeFirst, TestNoBacklogIsReadInFull,
//     TestAVariantThatCameOrWentInABacklog, TestTheRestIsOwedOverAStop,
//     TestALastingBacklogDoesNotStarveTheRest, TestLateRestsUnderLastingOverload,
//     TestHalfThePoints, TestRefreshesWaitForABacklog, TestABacklogReachesTheShopInTwoSteps,
//     TestABacklogEnds, TestABacklogEndsWithAReadingInFull)
//   - A picture costs itself: the product is on sale without it, explain names it, and one that
//     could not be fetched is asked for again, with backoff up to four hours and over restarts,
//     for as long as the supplier offers it. All pictures of a write have half a minute together,
//     and a shop is given none whose server does not answer. (TestAPictureThatCameLateIsShown,
//     TestARefusedPicture, TestPicturesWhoseServerIsAwayDuringAnImport, TestSilentPicture,
//     TestSlowPicture)
//   - Entries of the list that do not exist keep those that do waiting for no longer than their
//     page takes to be listed: once ten in a row are not there, new ones are looked at lightly,
//     fifty at a time. (TestInventedEntriesKeepNobodyWaiting)
//   - A publication that a signed webhook names and the API does not show yet is looked at again
//     for a minute, and not taken for gone meanwhile. (TestWhatAWebhookSaysAndTheAPIDoesNotYet,
//     TestAwaited)
//   - One publication that always fails, hangs, panics an adapter or the mapping, or is megabytes
//     large slows no other and stands in explain with its history. (TestPoisonSlowsNobody,
//     TestPoisonInASingleRun)
//   - Events of products, however many suppliers cause, keep no new entry waiting: they stand
//     beside what sweeps find. (TestAFloodOfProductEventsKeepsNoNewEntryWaiting)
//   - A publication that a person names by its id, to retry or to approve it, is looked at next. A
//     request that names none keeps no webhook waiting. (TestWhatAPersonNamesIsLookedAtNext,
//     TestRetryFailedStarvesNoWebhook)
//   - The patience of a single run holds for the calls of the adapter that are under way: they are
//     cancelled, what they were about stays due and comes after what else is due, and exit code
//     and summary say so. (TestPatienceHoldsForCallsUnderWay, TestAHungChangeIsSaid)
//   - No publication is looked at twice at once, nor again for what another look has settled, and
//     the store is never called with a mutex held. (TestWorkersShareTheDueSet,
//     TestAMarkThatWasSettledMeanwhileIsNotClaimed, TestTheStoreIsCalledWithoutAMutex)
package worker
