// Package staff holds the accounts of staff: an account's role from the day it was added, and the permissions of each role.
// Credentials (password, codes, sessions) are not history and not here.
package staff
