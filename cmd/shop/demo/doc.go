// Package demo is the demonstration shop's data: a catalog of invented brands and goods in a file as any merchant
// could write it, what a catalog file cannot say about brands, categories and marks, and a plan of a past of some
// three thousand orders. It writes nothing itself.
package demo
