// Package sweep lists the marketplace's import list: what changed since the last sweep, or all of
// it, and then finds what is gone. A sweep reads identifiers, updatedAt and status alone, and marks
// what is to be looked at. When sweeps are made says the [Timetable].
//
// # What it keeps
//
//   - No entry is skipped and the last content wins: what the supplier changed last is what the
//     shop shows once everything has settled, though entries move while they are listed, share an
//     updatedAt over the edge of a page, or a cursor is refused, and though a clock is set back. A
//     change that falls between the reading of the content and the look before the report is not
//     hidden by the report's own move of updatedAt. (TestShopIsTheImportList,
//     TestChangeBehindTheEcho, TestClockSetBack)
//   - Absence is believed only from a complete enumeration and after the marketplace has been
//     asked for that publication by itself, with null or an error on that very field that says
//     that there is none; an empty list or an authorisation error withdraws nothing; a mass
//     removal waits for a person. (TestRemovals, TestRemovalsThatAreErrors,
//     TestWhatIsSaidOfAPublicationThatIsGone, TestRemovalsOfADayCountTogether,
//     TestAbsenceIsNotBelieved) Single runs enumerate too, each time that the interval of the
//     schedule has passed. (TestRunsByCronEnumerateOnceAnHour,
//     TestARunThatIsCutOffGoesOnWithItsEnumeration, TestWhatWasTakenOverIsEnumeratedAtOnce)
//   - A price or stock that changes without moving updatedAt is seen by the next sweep where the
//     marketplace lists the retailer's product variants by the time of their change. What that
//     list lacks keeps nothing else from being seen; what was found of it is asked again after a
//     day, or where the token is another. (TestVariantsTellOfQuietChanges,
//     TestVariantsReadNothingTwice, TestWhatWasFoundOfVariantsIsAskedAgain, TestVariantsThatFail)
//     However many variants changed, they keep no new publication waiting.
//     (TestABurstOfVariantsKeepsNoNewPublicationWaiting,
//     TestAnEndlessListOfVariantsKeepsNobodyWaiting)
//   - An enumeration makes room for a sweep of what changed within seconds, however long its pages
//     wait for points. (TestAnEnumerationMakesRoom)
//   - No two accounts sweep on the same second because of their schedules.
//     (TestSweepsComeAtTheAccountsOwnOffset, TestAnInstallationHasAnOffsetBeforeItsAccountIsKnown)
//   - A list that goes in circles ends the sweep with an error that says so, in the log too, and
//     keeps no other sweep from being made. A run ends with its patience, whatever pages arrive
//     again and again. (TestAListThatGoesInCirclesEnds, TestARunEndsThoughTheListGoesInCircles,
//     TestTrail, TestNestedListsThatGoInCircles)
//   - An entry of the list without an id or an updatedAt is passed over, counted and said; it
//     stops no import, and beside one without an id nothing is taken for gone.
//     (TestSpoiledEntriesStopNoImport, TestEntriesThatSayTooLittle)
package sweep
