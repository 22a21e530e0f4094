// Package edge is the HTTP side of the program: every URL, and what a request passes before and after its endpoint: limits,
// sessions, compression, the answers to errors, files and media.
//
// Endpoints are in commands and readapi, in cmd/shop/ops for operators and analysts, and in cmd/shop/pages for pages.
package edge
