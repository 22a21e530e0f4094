// Package call calls functions of the log in PostgreSQL. Their parameters are encoded in one pass, into memory that calls share.
// pgx encodes whatever it is given, an element at a time through interfaces, into memory that doubles while it grows, and each
// connection keeps what its last call took: with 256 clients the parameters of groups of orders took a quarter of the heap.
package call
