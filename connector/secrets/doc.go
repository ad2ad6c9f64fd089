// Package secrets holds the secrets in use, and reads them again while the worker runs, so that a
// new one needs no restart.
//
// # What it keeps
//
//   - A token that was reset, a new secret of the app and new credentials of the shop need no
//     restart: they are read again from the place of the old ones. A token of another account ends
//     the worker. (TestATokenThatWasResetIsReadAgain, TestSecretsOfTheListenersAreReadAgain,
//     TestTheShopsCredentialsAreReadAgain, TestATokenOfAnotherAccountEndsTheWorker,
//     TestAResetTokenIsTakenFromItsFile)
//   - A new secret of the app seals the token, and alone holds, once the marketplace has used it
//     or refused the one before. Until then both hold, and the right secret undoes a typo without
//     a restart. (TestTheAppsSecretIsReadAgain, TestATypoInTheAppsSecretCostsNothing,
//     TestAStartWithATypoInTheAppsSecret, TestATypoInTheFileOfTheAppsSecret,
//     TestSecretsThatAreOffered)
//   - A secret is read from a regular file of at most 64 KiB, without waiting. Any other file
//     changes nothing, and ends a start. (TestReadSecretFile, TestSecretFilesThatAreNone,
//     TestEnvFilesThatAreNone, TestTheLargestSecretTakesLittleMemory, TestSecretFilterForgets)
package secrets
