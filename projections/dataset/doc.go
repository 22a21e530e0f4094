// Package dataset writes the log as tables that analysts take away: Parquet or CSV, a folder per data set, in it a
// folder per month (month=2026-05) and in that a file per run (part-FROM-TO.parquet, log positions). A manifest says how
// far a data set has come; the next run goes on there and adds files with what is new.
//
// All rows but those of orders are facts that never change. An order changes after it was written: it is then written
// again, and of several rows of an order the one with the highest position counts.
//
// Data sets are masked unless asked otherwise: no names, phones, e-mails or addresses, and persons under pseudonyms that
// a key of the shop makes, the same in every run and every data set.
package dataset
