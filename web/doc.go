// Package web holds the built storefront: what `npm run build` leaves in web/dist, embedded in the program.
//
// A program built without it, as tests are, still compiles; [Dist] is then empty but for a placeholder.
package web
