// Package statement reads the statement of a payment provider, a CSV file whose columns are found by their heads, and compares
// it with what the shop has of the same days. It writes nothing.
package statement
