// Package readapi answers the shop's questions: each endpoint is one SELECT on the read models and its JSON.
//
// PostgreSQL shapes the answers; openapi.yaml says how they look, and the tests hold every answer against it.
// A reply names the parts of the read models it shows, so that [Answers] can keep it until one of them changes.
// An endpoint returns an error instead of answering when there is nothing to show; Answer says what that means
// to a shopper.
package readapi
