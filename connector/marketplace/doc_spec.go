// Package marketplace does what the specification says to a retailer.
//
// # What the specification says to a retailer
//
// The sentences that concern a retailer's integration, in this project's words, each with the file
// that does it and the tests that hold it. What cannot be done is said in a README, whose words are
// quoted. What concerns suppliers, orders and invoices is left out. testdata/specification.names
// has every name in the specification's tables: who uses it, or why it is left alone.
//
// Requests and answers:
//
//   - Every operation is a POST of a JSON document with query and variables to one address, with a
//     bearer token.
//     (connector/marketplace/internal/client/transport.go: TestRequestsCarryWhatTheyMust)
//   - The address has a version in its path; another form without one is shown too.
//     (connector/marketplace/internal/client/address.go: TestEndpoint, TestBothAddresses)
//   - An answer has data, errors where something went wrong, and a throttle block.
//     (connector/marketplace/internal/client/exchange.go: TestAnswers, TestThrottleThatIsNotThere)
//   - A document of queries alone changes nothing at the marketplace.
//     (connector/marketplace/marketplace.go: TestPlannerCannotWrite)
//   - Identifiers are opaque texts.
//     (connector/marketplace/internal/wire/scalar.go: TestTextIsWhatWasSent,
//     TestAnIDIsDataEverywhere, TestIdsArePercentEncoded)
//   - Amounts are decimal texts, timestamps ISO 8601 in UTC.
//     (connector/marketplace/internal/wire/scalar.go: TestScalarsAreReadAsSent, TestAmountText)
//   - The types of many fields are left open.
//     (connector/marketplace/internal/client/probe.go: TestEveryDocumentFitsEverySchema,
//     TestImport, TestImportFromEveryKindOfServer)
//   - A list has nodes, or edges with a node each, and pageInfo.
//     (connector/marketplace/list.go: TestEveryDocumentFitsEverySchema)
//   - A list is asked for with first, and with after from the second page on, until there is no
//     next page. Sizes up to 100 are shown.
//     (connector/marketplace/internal/cost/cost.go: TestNoPageIsLargerThanTheSpecificationShows,
//     TestPagesAreReadToTheEnd, TestLargePublication)
//   - A list in the order of its changes, and the cursor of its last entry, give what changed
//     since.
//     (connector/sweep/page.go: TestShopIsTheImportList, TestCursorThatIsRefused)
//   - For publications only the order of their ids is shown: a server may know no other.
//     (connector/sweep/changes.go: TestRemovalsOnAnotherMarketplace,
//     TestTheMainJobOnAnotherMarketplace)
//   - A mutation takes one input, and says in userErrors which part of it it does not take, and
//     why.
//     (connector/marketplace/webhook.go: TestWebhookAddressThatIsRefused, TestReport)
//   - The row of publicationStatusUpdated shows a payload without userErrors: where a server has
//     none, the status that it shows tells whether a report was taken.
//     (connector/marketplace/report.go: TestReportsWithoutUserErrors,
//     TestAStrayObjectionHidesNoRefusal)
//   - What HTTP status an error has is not shown.
//     (connector/marketplace/internal/fault/classify.go: TestAnswers,
//     TestProbeBelievesOnlyARefusal)
//   - How long texts and lists may be is not shown.
//     (connector/publication/bounds.go: TestListingsThatCannotBeKept, TestEntriesThatAreTooLong)
//
// The import list:
//
//   - A product that the retailer picks becomes an entry, a publication, that is syncing until the
//     shop's side reports.
//     (connector/sweep/enumerate.go: TestSixtyPublicationsImportWithOneCreateAndOneReportEach)
//   - Once the product is in the shop, success is reported, with its address.
//     (connector/marketplace/report.go: TestReport, TestALaterReportIsMadeWhenTheAddressChanges,
//     TestReportsUnderFaults)
//   - Where it cannot be made, failed is reported.
//     (connector/publication/report.go: TestOwe,
//     TestARejectedNewProductIsReportedFailedAndSuccessOnceMended, TestFailAfter)
//   - The status is a text, shown in small letters and in capitals.
//     (connector/marketplace/internal/form/forms.go: TestImport,
//     TestRefusedReportsOnAnotherMarketplace)
//   - An entry tells when it last changed.
//     (connector/sweep/changes.go: TestShopIsTheImportList, TestEntriesThatSayTooLittle)
//   - An entry can be asked for by its id, and is null where there is none.
//     (connector/marketplace/look.go: TestPublicationThatIsNotThere, TestLook)
//   - No event tells of an entry that leaves the list.
//     (connector/sweep/removal.go: TestRemovals, TestAbsenceIsNotBelieved)
//   - A listing has texts in English, Dutch, German and French, as far as they are there; a
//     translation comes after the product.
//     (connector/publication/language.go: TestProductLanguage, TestATranslationThatComesLater)
//   - A product has one variant or more, at most three options, and each variant one to three
//     option values.
//     (connector/publication/product.go: TestProductOptions, TestMustGo)
//   - A variant has a price for dropshipping and one that is recommended.
//     (connector/publication/price.go: TestQuote, TestPriceSettings)
//   - A variant's SKU is unique.
//     (connector/publication/product.go: TestProductSKUs,
//     TestSKUsGetThePrefixAndWhereTheyMeetAStableSuffix)
//   - Stock may be negative where backorders are taken; the policy says whether a variant is sold
//     without stock.
//     (connector/publication/product.go: TestProductStock, TestExplainTellsAllThatIsKnown)
//   - Pictures have an order, and an address for a size and a method.
//     (connector/marketplace/content.go: TestEveryDocumentFitsEverySchema, TestProductImages)
//   - A category has a path, a name, a depth and a parent, in three levels.
//     (connector/directory/tree.go: TestBranch, TestCategoryBranch, TestDepthTellsWhatIsMissing,
//     TestCategoriesAreMadeBelowTheirParents;
//     shopadapter/woocommerce/internal/category/make.go:
//     TestBranchesAreMade)
//   - The names of categories come in the language that a header asks for.
//     (connector/marketplace/directory.go: TestCategoryBranch)
//   - Categories change, and are to be fetched.
//     (connector/directory/keeper.go: TestReadOnceADay, TestUnknownPath,
//     TestTheTreeIsReadForUnknownPathsOnce)
//   - A channel is a store of the retailer's, with a name and an address.
//     (connector/directory/kept.go: TestElsewhere, TestWhoseListItIs)
//   - Shipping costs and days are given by group of countries, and whether the supplier takes
//     returns.
//     (connector/publication/product.go: TestProductJSON, TestTheBodyOfAProduct;
//     shopadapter/delivery/delivery.go: TestForms, TestDelivery)
//   - Variants can be listed in the order of their changes.
//     (connector/sweep/variants.go: TestVariantsTellOfQuietChanges,
//     TestAQuietChangeIsFoundByTheListOfVariants)
//   - A retailer can place orders; no operation for it is shown.
//     (README.md: "Orders are not forwarded")
//
// Tokens:
//
//   - A private app has a token of the back office; a custom integration gets one that is shown
//     once and may be reset.
//     (connector/secrets/secrets.go: TestATokenThatWasResetIsReadAgain,
//     TestAResetTokenIsTakenFromItsFile)
//   - A public app is installed by many accounts, and has a token for each, which lasts until the
//     app is removed.
//     (connector/app.go: TestAPublicApp, TestLogin, TestAnAppIsRemovedAndInstalledAgain;
//     connector/README.md: "an account's user approves it on the marketplace's own page")
//   - A token belongs to one account, which has a slug, a name and a type.
//     (connector/marketplace/account.go: TestAccount, TestATokenOfAnotherAccountEndsTheWorker,
//     TestWhoseListItIs)
//   - A token may do what its scopes say; what is answered to one that may not is not shown.
//     (cmd/internal/doctor/marketplace.go: TestTheDoctorAsksWhatTheWorkerWillAsk,
//     TestARefusedTokenWithdrawsNothingAndEndsTheRunAtOnce; connector/directory/keeper.go:
//     TestRefusedPart, TestAnotherToken)
//
// Installation as a public app:
//
//   - It begins at the app's own address, to which the marketplace adds the account, a time and a
//     signature that must be checked.
//     (connector/install/handler.go: TestInstallation, TestRequestsThatAreNotTheMarketplaces)
//   - The signature is the HMAC-SHA256 of the query without it, in hex, with the app's secret, and
//     is compared in constant time.
//     (connector/install/signature.go: TestRequestsThatAreNotTheMarketplaces, FuzzVerify)
//   - The browser is sent to the marketplace with the app's id, the scopes, the address to return
//     to and a state.
//     (connector/install/handler.go: TestInstallation)
//   - It returns with the state as it was sent, a code, the account, a time and a signature; where
//     one is wrong nothing goes on.
//     (connector/install/state.go: TestRefusedCallbacks, TestReplayedCallbacks, TestTwoTabs,
//     TestAStateGrowsOld)
//   - Parameters that the address to return to has already are appended, and signed with the
//     others.
//     (connector/install/signature.go: TestInstallation, TestRequestsThatAreNotTheMarketplaces)
//   - The code is exchanged for a token by a POST of JSON; how that may fail is not shown.
//     (connector/install/exchange.go: TestWhatIsSentForAToken, TestAnswersWithoutAToken,
//     TestAnExchangeThatHangs)
//   - The user may take scopes away, so that those granted are compared with those needed; writing
//     implies reading.
//     (connector/install/scope.go: TestMissing, TestRefusedCallbacks)
//   - At the end the browser is sent back to the marketplace.
//     (connector/install/handler.go: TestInstallation)
//
// Webhooks:
//
//   - A webhook is registered with its address and its events; registrations can be listed.
//     (connector/registration/register.go: TestOneRegistrationAnAddress,
//     TestRegisterTheMissingEventsAlone, TestWebhookListAndRegister)
//   - PUBLICATION_CREATED tells of a new entry.
//     (connector/listener/webhook.go: TestASignedWebhookIsOnSaleAndReportedWithinASecond)
//   - PRODUCT_UPDATED and PRODUCT_DELETED tell of a product; what their bodies hold is not shown.
//     (connector/listener/webhook.go: TestProductEvents, TestProductEventsAreSeen)
//   - Which further events there are is not shown.
//     (connector/registration/register.go: TestEventsThatTheMarketplaceDoesNotKnowAreLeftOut)
//   - A registration is active or not.
//     (connector/registration/keeper.go: TestARegistrationThatIsNotSwitchedOn)
//   - Nothing that changes or deletes a registration is shown.
//     (connector/registration/callback.go: TestMissingEventsAreRegisteredBeside,
//     TestASecondRegistrationIsNamed; connector/README.md: "changes or deletes a registration")
//   - A channel has a default webhook for its content, at the address that was given when it was
//     set up. It is not signed.
//     (connector/listener/webhook.go:
//     TestAnUnsignedWebhookRefreshesContentWhoseUpdatedAtDidNotMove,
//     TestHintsThatBringMarksForward; connector/README.md: "The channel's default webhook")
//   - The headers name the account, the event, the registration and the signature.
//     (connector/listener/account.go: TestWebhooksOfAnotherAccount,
//     TestTheWebhooksHeadersMayHaveAnotherPrefix)
//   - The signature is the HMAC-SHA256 of the body as it came, in hex, with the app's secret. Only
//     webhooks that an app registered have one.
//     (connector/listener/signature.go: TestValidSignature, TestWebhookHandler,
//     TestAnAddressWithThePathTokenIsRegistered)
//   - A body is a copy of what it tells of. It may be newer than what the API shows: content is
//     fetched, and waited for.
//     (connector/publication/announced.go: TestPointsAt, TestNothingInAWebhookIsTrusted,
//     TestWhatAWebhookSaysAndTheAPIDoesNotYet)
//   - Only a 2xx within five seconds is an acknowledgement.
//     (connector/listener/refused.go: TestWebhookAnswers,
//     TestTenThousandWebhooksWhileTheShopIsDown, TestAnAnswerThatComesTooLateIsARefusal)
//   - A delivery that fails is repeated 19 times within 48 hours: one event may come twice.
//     (connector/quota/gap.go: TestWebhookBurst, TestWebhooksLeadToLooksNotTooOftenAndNeverLost)
//   - After 19 failures in a row the registration is deleted, and somebody gets a mail.
//     (connector/registration/keeper.go: TestTheWebhookIsRegisteredAndRegisteredAgain,
//     TestRefusedDeliveries, TestRefusalsAreKept, TestASandboxDeletesARegistrationThatFails;
//     connector/README.md: "deletes a registration after 19")
//   - Some addresses never work: localhost, whatever ends in internal, a bare www host.
//     (cmd/config/callback.go: TestJudgeCallback)
//
// Points:
//
//   - A bucket of 1000 points refills with 50 a second. It belongs to the app, so that others may
//     drink from it.
//     (shopadapter/pace/bucket.go: TestUtilisation, TestTheBudgetIsKeptWithoutBeingThrottled,
//     TestForeignTrafficIsForgotten)
//   - One query costs 1000 at most, by what it asks for.
//     (connector/marketplace/internal/cost/cost.go: TestPlansGrowSmaller, TestSmallestPages)
//   - A query costs the sum of its fields, a list its size times what is selected of an entry.
//     What a field costs is not shown.
//     (connector/marketplace/internal/cost/cost.go: TestCostIsWhatTheSpecificationSays,
//     TestCostsAreLearned)
//   - What was asked for and not found is given back.
//     (connector/marketplace/internal/cost/cost.go: TestBill, TestAnswersMoveTheLevel)
//   - Each answer says what it cost, what remains and what comes back.
//     (shopadapter/pace/bucket.go: TestAnswersMoveTheLevel, TestOneAbsurdThrottleBlock)
//   - A request that finds no room is answered with Throttled, and succeeds later.
//     (connector/marketplace/internal/fault/classify.go: TestAnswers, TestThrottled)
//   - Requests are best spread, and ask for nothing twice.
//     (connector/sweep/timetable.go: TestSweepsComeAtTheAccountsOwnOffset, TestIdleSweep)
package marketplace
