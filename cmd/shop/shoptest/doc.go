// Package shoptest is what tests of several packages of the program share: a storefront that is built, a logger that says
// nothing, an environment and a request.
package shoptest
