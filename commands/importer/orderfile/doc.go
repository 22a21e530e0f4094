// Package orderfile reads the order history of another shop from CSV files (docs/order-history-files.md): orders, their
// lines, payments and reviews, customers and products. The header determines the kind of a file. A value that cannot be used
// is an error with file, line and field; the reader continues after it.
package orderfile
