// Package settings is what the shop says of itself and when it works: contacts, legal data, where orders are picked up, the days
// without delivery, the text about returns, the menus, and the documents that shoppers agree to. One versioned stream, as rules are.
package settings
