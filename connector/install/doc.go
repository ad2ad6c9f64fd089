// Package install installs pubsync as a public app of a marketplace account.
//
// The installation is the OAuth 2.0 authorization code flow of the marketplace's specification:
//
//	GET /oauth/install    the application address. A signed request is redirected to the
//	                      marketplace's consent page, with a cookie. So is one without account_id,
//	                      timestamp and signature: nobody was logged in
//	GET /oauth/callback   the redirect address. A signed request with the state of this browser has
//	                      its code exchanged for a token, once
//
// Any other request counts only with the signature of the app's secret over its query, and within
// five minutes of its timestamp. A state belongs to the browser that it was made for, and is used
// once. It lies sealed in a cookie of that browser and takes no memory here: beginning many
// installations ends nobody else's. No code is sent to the marketplace twice, whatever becomes of
// the exchange. A token is kept only when every wanted scope was granted, and when it belongs to
// the account of the store.
//
// The token lies in the store, sealed with the app's secret (see store.Installation).
//
// # What it keeps
//
//   - A token comes by installation only from a request that the marketplace signed within five
//     minutes, in the browser that began it, once, with every wanted right, and for the store's
//     account. A person who is not logged in may begin without a signature. However many
//     installations are begun, none ends another. No code is sent twice, even where the exchange
//     fails. The token is stored sealed with the app's secret, and never shown.
//   - A worker without a token sends nothing, accepts webhooks and waits for the installation.
//     Where the app was removed it pauses and says how to install it again. An installation for the
//     same account ends the pause without a restart.
package install
