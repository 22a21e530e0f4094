// Package orderfile reads the order history of another shop from CSV files (docs/order-history-files.md): orders, their
// lines, payments and reviews, customers and products. Which of them a file holds, its header says. A value that cannot be
// used is an error with file, line and field; the reader goes on behind it.
package orderfile
