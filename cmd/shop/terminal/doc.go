// Package terminal prints to a terminal: tables, JSON, money, moments and progress. It also holds the exit statuses.
//
// It knows nothing of what is printed.
package terminal
