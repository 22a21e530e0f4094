// Package staff is who works in the shop: an account's role from the day it was added, and what each role may do.
// How somebody proves who they are (password, codes, sessions) is not history and not here.
package staff
