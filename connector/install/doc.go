// Package install has pubsync installed as a public app of a marketplace account.
//
// The installation is the OAuth 2.0 authorization code flow of the marketplace's specification:
//
//	GET /oauth/install    the application address. A signed request is answered with a redirect to the marketplace's consent page, and a cookie. So is one
//	                      without account_id, timestamp and signature: nobody was logged in
//	GET /oauth/callback   the redirect address. A signed request with the state of this browser has its code exchanged for a token, once
//
// Any other request counts only with the signature of the app's secret over its query, and within five minutes of its timestamp. A state belongs to the
// browser that it was made for, and is used once. It lies sealed in a cookie there and takes no place here, so that who begins many ends nobody else's. No code is sent to the marketplace twice, whatever becomes of the exchange. A token is kept only when every wanted
// scope was granted, and when it belongs to the account of the store.
//
// The token lies in the store, sealed with the app's secret (see store.Installation).
package install
