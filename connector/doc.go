// Package connector reconciles a marketplace's import list with a shop.
//
// The import list is the desired state, the shop is the observed state. A webhook or a sweep only ever says *look at publication X*; looking means
// fetching X, comparing it with what was last written, and bringing the shop in line. An adapter is a durable map from publication to shop listing, so
// every step may be repeated. What a look leads to, the record, the time of the next look and the report that is owed, is one transaction: a crash is a
// normal way to stop, and nothing that is under way is written down.
//
// # States
//
// A publication is in exactly one state, the first of these that fits. The function publication.StateOf is this table.
//
//	blocked    the merchant must do something; tried again when asked, or when the shop's check passes
//	rejected   the shop, or the price rules, refuse it as the supplier gives it; tried again when that changes, or when asked
//	held       a brake holds a change, the rest is made; tried again when approved, or when it is taken back upstream
//	pending    not settled: new, or a transient error; tried again at once, then with backoff
//	partial    on sale, some variants refused or pictures missing; tried again when the supplier changes it, late pictures with backoff
//	live       on sale, as last read; looked at when it changes
//	withdrawn  gone from the import list, or its listing or variants are, and out of sale; comes back when it is listed again
//
// # What is guaranteed
//
// Each guarantee is followed by the tests that hold it. Two of them hold most of it at once: TestKillsAtEveryStepLoseAndDoubleNothing kills the binary at
// each of some forty steps of an import while both sides fail in every way, and TestShopIsTheImportList compares marketplace, connector and shop with a
// model under whatever happens in whatever order.
//
// To what is on sale and what is said of it:
//
//   - One listing a publication, whatever answer is lost and whichever process is killed, given an adapter that keeps the laws of shopadaptertest.
//     (TestKillsAtEveryStepLoseAndDoubleNothing, TestReportsUnderFaults)
//
//   - No entry is skipped and the last content wins: what the supplier changed last is what the shop shows once everything has settled, though entries move
//     while they are listed, share an updatedAt over the edge of a page, or a cursor is refused, and though a clock is set back. A change that falls between
//     the reading of the content and the look before the report is not hidden by the report's own move of updatedAt. (TestShopIsTheImportList,
//     TestChangeBehindTheEcho, TestClockSetBack)
//
//   - While more changes are due than the marketplace's bucket pays for within three seconds, prices and stock win first: the look at a change reads the
//     figures of all that are due before anything else of them, and writes them. The rest of the content is owed from then on, and is read once nothing more
//     urgent is due. Several changes share it. Each fourth look is one at a rest that has waited for half an hour. A rest that has waited for an hour is a
//     change like any other: where its publication changes again, that change is read in full in its turn, and to all other such rests, the oldest first, go
//     half the points of all looks. Such a rest is read, at the latest, when the looks have been paid twice what those before it cost. A change keeps the place
//     of its own time, whatever rest its publication owes. A variant that came or went has its publication read in full at once, and so has what is not
//     settled or what a person asks for. This takes an adapter that is a shopadapter.Restocker; all others, and every change that is no backlog, are read in
//     full.
//     (TestFiguresOfABacklogComeFirst, TestNoBacklogIsReadInFull, TestAVariantThatCameOrWentInABacklog, TestTheRestIsOwedOverAStop,
//     TestALastingBacklogDoesNotStarveTheRest, TestLateRestsUnderLastingOverload, TestHalfThePoints, TestRefreshesWaitForABacklog,
//     TestABacklogReachesTheShopInTwoSteps, TestABacklogEnds, TestABacklogEndsWithAReadingInFull)
//
//   - Every status that is owed is reported, at least once, until it is acknowledged, also when the marketplace refuses it; a later status replaces an
//     earlier one. A refusal counts, and stands in explain, until the report is taken. (TestReportsUnderFaults, TestLostReportIsFoundByEnumeration,
//     TestARefusedReportIsMadeAgain, TestRefusedReportsAreWoken, TestAnotherReportTakesThePlaceOfARefusedOne)
//
//   - An entry without a title in the languages asked for waits for its translation until FailAfter, and is neither rejected nor reported before. What is on
//     sale stays. (TestATranslationThatComesLater, TestWhatIsOnSaleAndLosesItsTitleStays, TestAnEntryThatShowsNothingWaits)
//
//   - No report that was never true: success is owed in the transaction that records the listing on sale, and a refusal is settled, and failed owed, only
//     once what an attempt without an answer may have put on sale is out. (TestKillsAtEveryStepLoseAndDoubleNothing,
//     TestARejectedProductIsNotOnSaleByAnAttemptThatNobodyHeardOf)
//
//   - A publication that is listed again is on sale again, even where the shop's answer to its withdrawal was lost.
//     (TestWhatIsListedAgainAfterARemovalThatNobodyHeardOfIsOnSale)
//
//   - A product is told of the whole branch that its category stands in, by the names in the shop's language, and follows when the branch changes, at its next
//     look. The tree costs one request a day, and one more in ten minutes at most where it lacks a category; an idle run stays within 4 requests and 30 points,
//     also where the schema cannot be read and connections have edges alone. Where the marketplace tells no tree, the path and the name of the listing are all that the shop is told. An upgrade moves nothing. (TestCategoryBranch,
//     TestTheTreeCostsNextToNothing, TestTheMainJobWithoutIntrospection, TestReadOnceADay, TestUnknownPath, TestRefusedPart, TestDifferingOfBranches)
//
//   - Each choice that a shop offers leads a visitor to that very variant, also where the merchant renamed an option or a value; what cannot be followed is
//     blocked and stays as it was. (TestLaws, TestChoicesOfTheMerchant, TestChoicesThatCannotBeFollowed, TestOptionsOfTheMerchant)
//
//   - A category that a WooCommerce shop lacks is made once, however many products need it at a time and whichever process is killed. A category of the same
//     name elsewhere is left alone, and a shop that refuses one sells the product without it. (TestBranchesAreMade, TestABranchIsMadeOnce,
//     TestABranchThatWasBegunIsFinished, TestARefusedCategoryCostsNoProduct, TestAPHPThatDiesOfCategories,
//     TestABranchOfTheMarketplaceIsMade)
//
//   - A field that a product can do without and that has a shape that cannot be read costs itself, and stands in explain: what the shop has of it stays, and the
//     next reading that shows it brings it. (TestFieldsOfAnotherShape, TestWhatCannotBeReadStays, TestWhatCannotBeReadComesLater, TestShippingIsAListOrOne)
//
//   - A picture costs itself: the product is on sale without it, explain names it, and one that could not be fetched is asked for again, with backoff up to
//     four hours and over restarts, for as long as the supplier offers it. All pictures of a write have half a minute together, and a shop is given none
//     whose server does not answer. (TestAPictureThatCameLateIsShown, TestARefusedPicture, TestPicturesWhoseServerIsAwayDuringAnImport, TestSilentPicture,
//     TestSlowPicture)
//
//   - A listing that the merchant deletes or takes out of sale by hand is noticed within a day, where the adapter can list, and by each full run. It is blocked
//     and not success, and no change upstream puts it back. Once the merchant puts it back it is live, with the supplier's latest content. A shop's list that
//     is incomplete, shifted or lacks very many proves nothing. (TestDeletedByHandIsNoticed, TestHiddenByHand, TestHiddenByHandBeforeTheResync,
//     TestAListingThatProvesNothing, TestDriftFoundDuringALook)
//
//   - Absence is believed only from a complete enumeration and after the marketplace has been asked for that publication by itself, with null or an
//     error on that very field that says that there is none; an empty list or an authorisation error withdraws nothing; a mass removal waits for a person.
//     (TestRemovals, TestRemovalsThatAreErrors, TestWhatIsSaidOfAPublicationThatIsGone, TestRemovalsOfADayCountTogether, TestAbsenceIsNotBelieved)
//     Single runs enumerate too, each time that the interval of the schedule has passed. (TestRunsByCronEnumerateOnceAnHour,
//     TestARunThatIsCutOffGoesOnWithItsEnumeration, TestWhatWasTakenOverIsEnumeratedAtOnce)
//
//   - An entry that stays on the list and loses its listing or its variants is withdrawn like one that is gone, and reported failed, whatever is to be done with
//     entries that are gone. It is success again when they are back. One that was never on sale waits. (TestNothingToList, TestALostListingIsReported,
//     TestWhatWasNeverOnSaleWaitsForItsListing, TestAnEntryThatShowsNothingWaits)
//
//   - What has been withdrawn for ForgetAfter since its entry is gone is forgotten, but that it was ours, and the SKUs of a listing that the shop may hold. Listed
//     again it is published on that listing. (TestWithdrawnPublicationsAreForgotten, TestWhatIsNotForgotten, TestForgettingIsBounded,
//     TestARemovalIsFoundByCronAndForgotten)
//
//   - A product of the merchant's own that was taken over is never deleted: it is given back out of sale, and explain says so.
//     (TestWhatWasGivenBackIsTold, TestAdoptedProductIsGivenBack)
//
//   - A product that a WooCommerce shop left half-made when its PHP died is finished, not made twice. Nothing without a price can be bought meanwhile.
//     (TestPHPDiesWhileAProductIsMade, TestPHPDiesInABatch, TestPHPDiesWhileAProductIsChanged, TestPHPDiesAnywhere)
//
//   - A price that moves too far, and a first price far from the msrp, is not shown until a person approves that very
//     price. While the end of an attempt is not known the price that it sent counts beside the last settled one.
//     (TestPriceBrake, TestAFirstPriceIsHeld, TestAFirstPriceOfWhatIsOnSaleAlready, TestThePriceBrakeKnowsAnOpenAttempt)
//
//   - Rules of prices and stock that have changed make both anew at the next start, of the supplier's
//     figures as last read and for no points. What that does not do is read like a refresh, and so is
//     everything where other settings have changed that decide what stands in the shop. Prices that
//     would move though no setting has changed are held together. A plan beside a worker goes by the
//     caller's rules, and status tells what has yet to follow. (TestChangedRulesCostNoPoints,
//     TestRulesBesideAWorker, TestStatusOfChangedRules, TestSecretSourceTellsOfSettings,
//     TestWhatCannotBeRepricedIsRead, TestChangedRulesOverAKill, TestThePriceBrakeHoldsChangedRules,
//     TestRulesThatNobodyChangedAreHeld, TestWhatOtherRulesDoNotRefuse,
//     TestOtherSettingsHaveContentReadAgain)
//
//   - One objection of the marketplace to a request changes no form of later requests. What its
//     schema says stands until it says otherwise. A form that had to be assumed changes for all
//     only where the server objects to it, takes another in its place, and objects to it again. An
//     objection to both is the publication's own: explain shows it, and the report stays owed. A
//     language, or a report's userErrors, is left out only while the server says, in the words of a
//     validation and without a success in between, that its schema lacks it: a language for ten
//     seconds, and of an id that does not exist too. All begins as assumed after an hour, at a
//     start, in a full run and with retry --failed. A single run that remembers what was found
//     gives it up at the first objection of any kind. A product is never written in another
//     language because the schema lost the one it was written in: it waits.
//     (TestOneObjectionChangesNoForm, TestTrialTable, TestObjectionsToOnePublication,
//     TestEightSecondsOfObjections, TestAnotherFormIsProven, TestReportsWithoutUserErrors,
//     TestAStrayObjectionIsForgotten, TestWhatIntrospectionSaidStands, TestFormsAreRemembered,
//     TestAnObjectionThatLastsIsShown, TestALostLanguageRewritesNothing)
//
//   - A plan writes nothing: a [Planner] holds nothing that could. (TestPlannerCannotWrite)
//
//   - A plan prints what the run then does, publication by publication and value by value, as long as the shop takes it. What the light looks before owed
//     reports show is part of it. Looks that several unsigned webhooks ask for are planned, and the run makes those that their share pays for.
//     (TestPlanIsWhatARunDoes, TestShopIsTheImportList, TestADraftIsAStore)
//
//   - A price or stock that changes without moving updatedAt is seen by the next sweep where the marketplace lists the retailer's product variants by the time
//     of their change. What that list lacks keeps nothing else from being seen; what was found of it is asked again after a day, or where the token is another.
//     (TestVariantsTellOfQuietChanges, TestVariantsReadNothingTwice, TestWhatWasFoundOfVariantsIsAskedAgain, TestVariantsThatFail)
//     However many variants changed, they keep no new publication waiting. (TestABurstOfVariantsKeepsNoNewPublicationWaiting,
//     TestAnEndlessListOfVariantsKeepsNobodyWaiting)
//
//   - An enumeration makes room for a sweep of what changed within seconds, however long its pages wait for points. (TestAnEnumerationMakesRoom)
//
//   - Entries of the list that do not exist keep those that do waiting for no longer than their page takes to be listed: once ten in a row are not there, new
//     ones are looked at lightly, fifty at a time. (TestInventedEntriesKeepNobodyWaiting)
//
// To what is kept:
//
//   - A webhook is acknowledged only once what it points at is durable. (TestAnAcknowledgedWebhookSurvivesAKill)
//   - A webhook of another account that the app serves is acknowledged, counted and not acted upon, from the first signed webhook on that names a
//     publication of ours. Our account may have another id there than at the installation: either is taken. (TestWebhooksOfAnotherAccount,
//     TestAnotherAccountsWebhooksArePassedOver, TestTheAccountOfAnInstallation, TestWebhooksUnderAnotherIDThanTheInstallations)
//   - Unsigned deliveries at the address of signed ones are told apart from those of another secret, with what to do. (TestUnsignedWebhooksAreToldApart)
//   - A publication that a signed webhook names and the API does not show yet is looked at again for a minute, and not taken for gone meanwhile.
//     (TestWhatAWebhookSaysAndTheAPIDoesNotYet, TestAwaited)
//   - Deliveries that are refused in a row stand in status, in a metric and in the log before the marketplace deletes the registration, as far as they arrive,
//     and over restarts. A delivery that is acknowledged ends the row, a new registration, and two days without another refusal. Strangers cost the store a
//     write in ten minutes at most. (TestRefusedDeliveries, TestRefusalsAreKept, TestARowOfRefusalsIsLogged, TestAnotherAccountsWebhooksArePassedOver)
//   - A full disk refuses webhooks with 503, loses nothing that was acknowledged, is told of once, and is recovered from without a restart.
//     (TestAFullDiskRefusesWebhooksWith503AndLosesNoneThatWasAcknowledged, TestASingleRunWithoutRoomIsPatientAndThenSaysSo)
//   - Damage to the store is refused where it is met, with exit 5, the way out, and nothing written: at the start anywhere in a store below 16 MiB and in the
//     structure of a larger one, and later wherever something is read. The worker proves all of the store again and again: damage is found within an hour
//     wherever it is. `doctor` and `backup` prove all of it at once. A store that is replaced under a worker ends it in the same way.
//     Where pages go bad under an open store it may be Go's collector that ends the worker first, with exit 2 and a trace: the next start then says exit 5.
//     (TestADamagedStoreEndsEveryCommandWithExit5AndIsLeftAsItIs, TestFlippedBits, TestFlippedBitsOfALargeStore, TestDamageWhileOpen,
//     TestDamageIsFoundWithinTheHour, TestAStoreThatIsDamagedUnderTheWorkerEndsItWithExit5, TestAStoreThatIsReplacedEndsTheWorker)
//   - A file beside the store that is a link, no regular file, another user's, or writable by others is not opened: exit 5.
//     (TestANoteThatOthersMayWriteIsNotFollowed)
//   - A backup holds all that was acknowledged before it began, and one that is put back, or a store that is rebuilt from the shop, doubles nothing.
//     (TestBackupsUnderLoadHoldWhatWasAcknowledged, TestBackupOfWhatAKilledWorkerLeft, TestPutBackFromABackup, TestTheWayOutOfADamagedStore)
//
// To how it runs:
//
//   - One publication that always fails, hangs, panics an adapter or the mapping, or is megabytes large slows no other and stands in explain with its
//     history. (TestPoisonSlowsNobody, TestPoisonInASingleRun)
//   - Ten thousand webhooks in a burst while the shop is down are each acknowledged within the marketplace's five seconds, in bounded memory, and what they
//     name is worked once, in the order of its urgency. (TestTenThousandWebhooksWhileTheShopIsDown, TestBurstOfDistinctPublications, TestBurstIsDrainedInOrder)
//   - Events of products, however many suppliers cause, keep no new entry waiting: they stand beside what sweeps find.
//     (TestAFloodOfProductEventsKeepsNoNewEntryWaiting)
//   - Reports that the marketplace refuses again and again cost a tenth of its points at most, and keep no other report waiting.
//     (TestRefusedReportsBackOff, TestRefusedReportsAreNoStorm)
//   - A publication that a person names by its id, to retry or to approve it, is looked at next. A request that names none keeps no webhook waiting.
//     (TestWhatAPersonNamesIsLookedAtNext, TestRetryFailedStarvesNoWebhook)
//   - Advice works: where an adapter is a Reviewer, what it lacked or what its settings say now moves listings whose product is unchanged, by a retry, by a
//     full run, and by the changed setting alone. (TestAdviceMovesWhatIsOnSale, TestReviewLeavesWhatIsTheMerchants, TestReviewFails)
//   - No two accounts sweep on the same second because of their schedules. (TestSweepsComeAtTheAccountsOwnOffset,
//     TestAnInstallationHasAnOffsetBeforeItsAccountIsKnown)
//   - It may be left alone: after a week of schedules, outages, a revoked token and a lost registration goroutines, memory and store are as they were.
//     (TestWeek)
//   - A list that goes in circles ends the sweep with an error that says so, in the log too, and keeps no other sweep from being made. A run ends with its
//     patience, whatever pages arrive again and again. (TestAListThatGoesInCirclesEnds, TestARunEndsThoughTheListGoesInCircles, TestTrail,
//     TestNestedListsThatGoInCircles)
//   - An import costs 1.10 times the least at most, however the marketplace counts: one list, one light look, one reading and one report a publication.
//     What the marketplace lists again because of these reports is part of that where a single run lists a hundred entries at most, and none of the next
//     run. Of a longer list the next run lists it. The first run of a day costs some 24 points besides. (BenchmarkImportCost, BenchmarkShortImportCost,
//     TestBillWhereFieldsCostOtherwise, TestTwoDocumentsTellBothTerms, TestMutationsAreLearnedApart, TestPagesFollowTheListings)
//   - An entry of the list without an id or an updatedAt is passed over, counted and said; it stops no import, and beside one without an id nothing is taken for
//     gone. (TestSpoiledEntriesStopNoImport, TestEntriesThatSayTooLittle)
//   - One absurd answer about the budget stops nothing: a figure that is implausible beside those seen before needs a second answer that says the same, a
//     request that only points hold back is sent within a minute of the last answer, and what answers taught is forgotten in time. A long wait stands in
//     status. (TestOneAbsurdThrottleBlock, TestAbsurdThrottleBlocksOnly, TestAnAbsurdBudgetStopsNoImport, TestOneAbsurdAnswer,
//     TestWhatAnswersTaughtIsForgotten, TestCostsAreForgotten, TestStatusSaysWhatALongWaitIsFor)
//   - Several publications are named in one request where the marketplace takes that. Its refusal, or that it takes each of them alone, is remembered for an
//     hour in memory: status says so, and how many a request names. Then, or after a restart, the next request that has several to name is the trial. No
//     publication waits for it. (TestRefusedAliases, TestOneBadPublicationIsNoBound, TestAMarketplaceWithoutAliases)
//   - A refusal for want of points that gives no figure costs the time in which the points of the request are restored, and up to half of that again.
//     More than two in a row double it. (TestBareRefusalsCostLittle, TestRefusedWithoutFigures, TestARefusedReportIsLookedAtAgain)
//   - An answer of the marketplace or a shop takes no more memory than the question warrants, however small it is on the wire: bytes, elements and depth are
//     bounded before anything is built. The worker stays below 256 MiB. (TestASmallAnswerDoesNotBecomeGigabytes, TestAnswersThatAreTooLarge,
//     TestHostileAnswersTakeNoMemory)
//   - The patience of a single run holds for the calls of the adapter that are under way: they are cancelled, what they were about stays due and comes after
//     what else is due, and exit code and summary say so. (TestPatienceHoldsForCallsUnderWay, TestAHungChangeIsSaid)
//   - A maintenance of seconds is no pause of minutes, whatever Retry-After says. An adapter with a check is asked every thirty seconds of a pause longer than
//     a minute, and at once when a person asks for something. A run waits meanwhile, and says for what.
//     (TestAMaintenanceOfSecondsIsNotAPauseOfMinutes, TestAPersonAsksDuringAPause, TestARunDuringAPause)
//   - A side shows as paused, with the reason and since when, from the moment it cannot be used until it answers well again. Each reason is logged once. Only
//     a completed sweep moves the time of the last one. (TestPausedIsPaused, TestAPauseIsLoggedAgainForAnotherReason, TestAShopIsPausedUntilItsCheckPasses,
//     TestAShopThatIsBackIsPausedNoLonger, TestAPauseStandsInTheStore)
//   - No price is written to a shop that says that it sells in another currency. It is asked at start, with each check and
//     resync, and before a write for which its last answer is older than five seconds or a sweep.
//     (TestAShopInAnotherCurrency, TestTheCurrencyChangesUnderAWorker)
//   - A visitor is shown the price that the rules made, also where the shop takes prices without tax. Where that changes in the
//     shop, every price is written again. (TestLawsInAShopWithNetPrices, TestNetPrices, TestTaxSettingsChange)
//   - A publication that is blocked because the shop refused everything is tried again once the shop's check passes, or the shop takes another product. (TestBlockedOverAnOutageAtStart,
//     TestBlockedUntilAnotherProductIsTaken)
//   - A token that was reset, a new secret of the app and new credentials of the shop need no restart: they are read again from the place of the old ones. A
//     token of another account ends the worker. (TestATokenThatWasResetIsReadAgain, TestSecretsOfTheListenersAreReadAgain,
//     TestTheShopsCredentialsAreReadAgain, TestATokenOfAnotherAccountEndsTheWorker, TestAResetTokenIsTakenFromItsFile)
//   - A new secret of the app seals the token, and alone holds, once the marketplace has used it or refused the one before. Until then both hold, and the
//     right secret undoes a typo without a restart. (TestTheAppsSecretIsReadAgain, TestATypoInTheAppsSecretCostsNothing,
//     TestAStartWithATypoInTheAppsSecret, TestATypoInTheFileOfTheAppsSecret, TestSecretsThatAreOffered)
//   - A secret is read from a regular file of at most 64 KiB, without waiting. Any other file changes nothing, and ends a start. (TestReadSecretFile,
//     TestSecretFilesThatAreNone, TestEnvFilesThatAreNone, TestTheLargestSecretTakesLittleMemory, TestSecretFilterForgets)
//   - A token comes by installation only from a request that the marketplace signed within five minutes, in the browser that began it, once, with every
//     wanted right, and for the store's account. Who is not logged in may begin without a signature. However many are begun, none ends another's
//     (TestUnsignedInstallation, TestReplaysEndNobodysInstallation). No code is sent twice, whatever becomes of the exchange. The token is kept sealed with the app's secret, and
//     said nowhere. (TestInstallation, TestRequestsThatAreNotTheMarketplaces, TestRefusedCallbacks, TestReplayedCallbacks, TestAnExchangeThatHangs,
//     TestWhoseInstallation, TestASecondAccountChangesNothing, TestInstallationIsSealed, TestAPublicApp)
//   - A worker without a token sends nothing, takes webhooks and waits for the installation. Where the app was removed it pauses and says how to install it
//     again; an installation for the same account ends the pause without a restart. (TestAWorkerWithoutATokenSendsNothing, TestTheSameTokenAgain,
//     TestTheAppsSecretIsReadAgain, TestAPublicApp, TestLogin)
//   - No event is registered twice for an address: what is registered are the events that no active registration of that address has, however the
//     marketplace spells either. An event that the marketplace does not know keeps no other from being registered. (TestOneRegistrationAnAddress,
//     TestSameCallback, TestJudgeRegistrations, TestMissingEventsAreRegisteredBeside, TestEventsThatTheMarketplaceDoesNotKnowAreLeftOut)
//   - A sender that holds connections, or sends slowly, much or nothing, keeps no webhook out and takes no file handle that store or shop need.
//     (TestWhoeverHoldsOnKeepsNobodyOut, TestConnLimiter)
//   - Webhooks' bodies take a bounded memory: up to 16 KiB each, and 16 larger ones at a time of 1 MiB at most. An unfinished large body gives way to
//     others. An unsigned body beyond 64 KiB is not parsed: it leads to one light sweep. (TestHostileBodiesTakeLittleMemory,
//     TestAFloodOfBodiesTakesLittleMemory, TestUnfinishedBodiesGiveWay, TestALargeBodyThatGaveWay, TestBodyLimiter, TestUnsignedBodyTooLong)
//   - All looks that unsigned webhooks cause, or bring forward, cost a tenth of the restore rate at most, and one look. A look that the publication is due for
//     besides comes when it would have come. (TestHintsKeepTheShare, TestHintsThatBringMarksForward, TestAHintWhoseLookFailsIsPaidFor,
//     TestWishBesideWhatWaits)
//   - A warning that a stranger can provoke is logged once a minute, with the number of times. (TestUnreadableBodiesAreWarnedOfSeldom)
//   - The admin listener refuses requests to a foreign host name and from a page of another origin. Off loopback, and wherever a token is set, it refuses
//     requests without the token. Each wrong token slows its sender down for a while. (TestAdminHosts, TestAdminOrigins, TestAdminToken, TestLoginIsThrottled,
//     TestLoginBehindAProxy, TestGuessesInAHeader, TestSessionCookieIsSecure)
//   - Sweeps that somebody waits for, and backups, have a number and a time of their own, and leave places for the health paths.
//     (TestWaitingSweepsAreLimited, TestBackupIsHurriedAndNameless, TestPlacesForShortQuestions)
//   - A backup leaves no file behind, however it ends. (TestBackupIsHurriedAndNameless, TestLeftBackupsAreRemoved)
//   - Identifiers and texts from elsewhere are data wherever they are shown or become a path, and no secret is shown, also not one that a server throws
//     back, as it is or escaped or in base64, or makes a part of a product's id or address. (TestHostileIDs, TestNoSecretIsShownAnywhere,
//     TestNoSecretComesBack, TestNoSecretComesBackInAnotherForm, TestHider, TestErrorsWithoutSecrets, TestListingsThatCannotBeKept)
//   - Texts from elsewhere are bounded in length: an entry or an answer beyond is refused with its reason. Webhooks for unknown publications leave nothing
//     behind. (TestListingsThatCannotBeKept, TestEntriesThatAreTooLong, TestWebhooksForNothingLeaveNothing)
//   - A picture is fetched from public addresses alone, to which no cloud's metadata service belongs; a token that would cross the internet in plain text
//     is warned of. (TestPublic, TestPlainHTTPIsWarnedOf)
//
// # What is not
//
//   - Exactly-once reports. An acknowledgement that is lost may be followed by the same report once more.
//   - A supplier's change may come in the one round trip between the report and the light look, or the list that takes its place. It may hide behind the
//     report's move of updatedAt, and reaches the shop when the content is read again, after RefreshAfter at the latest. (TestChangeBehindTheEcho)
//   - A price or stock that changes without moving updatedAt is seen by an unsigned webhook or after RefreshAfter, not before, where the list of product
//     variants is not followed.
//   - A price may be written within the five seconds after a shop has changed its currency, where no sweep has begun since.
//   - A product every one of whose answers was lost for longer than FailAfter may be reported failed while the shop sells it.
//   - Power failure on a file system that loses what it said was written, and a copy of the store made otherwise than by backup.
//   - A call to the shop that hangs keeps its place until the adapter's time is up: with one place, so do all others.
//
// # Words
//
// Each of these words has one meaning in connector/ and store/. Three of them, hint, draft and settle, are used in other senses too.
//
//	publication  an entry of the import list, known by its id, and the record that the store keeps of it
//	listing      the supplier's offer behind a publication (marketplace.Listing), and the product made of it in the shop (shopadapter.Listing)
//	mark         a durable note that a publication waits for a look: how urgent it is, why, and from when on. The due set is the marks whose time has come
//	look         one reading of a publication from the marketplace, and all that follows until it is settled. A light look reads updatedAt and status alone
//	figures      what may hurt of a variant: its price, its cost, its recommended price and its stock. A look at figures reads these and updatedAt alone
//	rest         all else of a change whose figures have been read. It is owed as a look of its own
//	settle       to write, in one transaction, the record after a look, its next mark and the report that is owed
//	sweep        one reading of the import list: an incremental sweep reads what changed, an enumeration reads the whole list
//	hint         an unsigned webhook: it may bring a look forward, within the share of points that belongs to all hints
//	report       the status and the address that the marketplace is told of a publication. It is owed until it is acknowledged; a refused one stays owed
//	echo         the move of updatedAt that a report of ours causes
//	hold         a change that waits for a person's approval. A brake is a rule that holds: prices, removals, products that another tool made
//	breaker      what lets no call through while one of the two other sides fails. A pause is the time for which it is open
//	drift        what somebody changed in the shop by hand
//	draft        a store that takes writes in memory, over one that it only reads: a plan makes the steps of a run on it
//	take over    to bring into the store a listing that the shop says we made
//	patience     for how long a single run waits for what time may mend
//
// # Where to change what
//
//	a setting            cmd/settings.go has its name, default and meaning, cmd/config.go parses it, cmd/assemble.go passes it on.
//	                     `go test ./cmd -run TestExampleEnv -update` writes config.example.env.
//	                     One that decides what stands in the shop has a tag `rules` there, and is part of publication.Rulebook
//	an adapter           shopadapter/README.md says what one is made of; cmd/pubsync/main.go imports those of the binary
//	a marketplace field  connector/marketplace/content.go asks for it, connector/marketplace/scan_publication.go reads it from an answer, and
//	                     connector/marketplace/publication.go makes a Listing of it; connector/publication/product.go maps it to a field of
//	                     shopadapter/product.go, connector/publication/fingerprint.go notices its changes; connector/marketplace/sandbox/publication.go,
//	                     connector/marketplace/sandbox/schema.go and connector/marketplace/sandbox/graph.go offer it to the tests
//	what the marketplace's specification says
//	                     connector/marketplace/doc_spec.go has its sentences, each with its file and tests
//	a state rule         connector/publication/next.go, and the order of the states in connector/publication/state.go; their tests hold the golden tables
//	a stored field       store/record.go, with a number of its own
//	a command            cmd/cli.go names it, a file of its own in cmd does it; what it asks a worker is a method of the desk in connector/desk/desk.go
//	a metric             connector/metrics.go has what is counted, connector/gauges.go what is read when monitoring asks
//
// # Layout
//
// Rules, which decide and do nothing:
//
//	connector/publication   every rule about one publication; pure
//	connector/breaker       circuit breakers, signals, backoff
//	connector/quota         how many looks webhooks may cause
//	connector/health        the last error, the trouble with the store, panics
//
// Loops, none of which knows another:
//
//	connector/sweep         reads the import list, by schedule and when asked
//	connector/worker        works off the due set, a look at a time
//	connector/outbox        makes the reports that are owed
//	connector/listener      receives webhooks
//	connector/registration  keeps the webhook registered
//	connector/install       has pubsync installed as a public app
//	connector/directory     keeps the tree of categories, the account and its channels, read once a day
//	connector/takeover      readies a store before its first list
//	connector/rules         has publications follow when the merchant's rules change
//	connector/review        finds the listings that changed settings of an adapter move
//	connector/drift         finds what was changed in the shop by hand
//	connector/probe         asks a shop whether it is back
//	connector/secrets       reads secrets again while the worker runs
//
// Faces:
//
//	connector/desk          what a person may ask and say: an interface, done here, over HTTP, and by an HTTP client
//	connector/admin         the admin listener: health, metrics, login, the desk's API
//	connector/dashboard     the page on that API
//	connector/marketplace   the client of the marketplace's API, and the sandbox
//	connector/internal      a browser for the tests of pages, and deliveries for those of webhooks
//
// This package wires them: connector.go has its parts, wiring.go makes them, start.go starts and drains the loops, run.go is a single run, plan.go says what one would do.
package connector
