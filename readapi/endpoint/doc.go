// Package endpoint is what endpoints are made with: an endpoint returns an error in place of answering it, JSON is written and
// read in one way, a request has an id, and a guard names the permission that an endpoint asks for.
//
// How an error becomes a status is in cmd/shop/edge.
package endpoint
