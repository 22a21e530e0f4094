// Package reports answers analysts with tables of numbers. A report reads the tables of one read model in one snapshot and
// says the log position they are of, so that the same position gives the same numbers again.
package reports
