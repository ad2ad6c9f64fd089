// Package listener serves the sockets of a worker, and accepts the marketplace's webhooks.
//
// A public address meets senders that hold on to connections, send slowly, much or nothing. Three
// limits keep them from costing anything:
//
//   - The connection limiter bounds the open connections of a socket, and makes room for the next
//     one by closing a quiet one. An authenticated connection is kept until it is answered.
//   - The body limiter keeps 16 KiB of each body, and a few larger ones whole. Of these the slowest
//     gives way to the next.
//   - The server's own timeouts end every request that is not sent, or not read, in time.
//
// # What it keeps
//
//   - A webhook is acknowledged only once what it points at is durable.
//     (TestAnAcknowledgedWebhookSurvivesAKill)
//   - A webhook of another account that the app serves is acknowledged, counted and not acted
//     upon, from the first signed webhook on that names a publication of ours. Our account may
//     have another id there than at the installation: either is taken.
//     (TestWebhooksOfAnotherAccount, TestAnotherAccountsWebhooksArePassedOver,
//     TestTheAccountOfAnInstallation, TestWebhooksUnderAnotherIDThanTheInstallations)
//   - Unsigned deliveries at the address of signed ones are told apart from those of another
//     secret, with what to do. (TestUnsignedWebhooksAreToldApart)
//   - Deliveries that are refused in a row stand in status, in a metric and in the log before the
//     marketplace deletes the registration, as far as they arrive, and over restarts. A delivery
//     that is acknowledged ends the row, a new registration, and two days without another refusal.
//     Strangers cost the store a write in ten minutes at most. (TestRefusedDeliveries,
//     TestRefusalsAreKept, TestARowOfRefusalsIsLogged, TestAnotherAccountsWebhooksArePassedOver)
//   - A full disk refuses webhooks with 503, loses nothing that was acknowledged, is told of once,
//     and is recovered from without a restart.
//     (TestAFullDiskRefusesWebhooksWith503AndLosesNoneThatWasAcknowledged,
//     TestASingleRunWithoutRoomIsPatientAndThenSaysSo)
//   - Ten thousand webhooks in a burst while the shop is down are each acknowledged within the
//     marketplace's five seconds, in bounded memory, and what they name is worked once, in the
//     order of its urgency. (TestTenThousandWebhooksWhileTheShopIsDown,
//     TestBurstOfDistinctPublications, TestBurstIsDrainedInOrder)
//   - A sender that holds connections, or sends slowly, much or nothing, keeps no webhook out and
//     takes no file handle that store or shop need. (TestWhoeverHoldsOnKeepsNobodyOut,
//     TestConnLimiter)
//   - Webhooks' bodies take a bounded memory: up to 16 KiB each, and 16 larger ones at a time of 1
//     MiB at most. An unfinished large body gives way to others. An unsigned body beyond 64 KiB is
//     not parsed: it leads to one light sweep. (TestHostileBodiesTakeLittleMemory,
//     TestAFloodOfBodiesTakesLittleMemory, TestUnfinishedBodiesGiveWay, TestALargeBodyThatGaveWay,
//     TestBodyLimiter, TestUnsignedBodyTooLong)
//   - A warning that a stranger can provoke is logged once a minute, with the number of times.
//     (TestUnreadableBodiesAreWarnedOfSeldom)
package listener
