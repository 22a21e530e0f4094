// Package health says how the database is, for whoever operates the shop: its size and connections, its slowest statements, the processes that
// share the work, and the keys of the key file.
package health
