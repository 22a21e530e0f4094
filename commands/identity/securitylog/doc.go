// Package securitylog keeps the security log: who signed in, who guessed, who changed an account, who looked at persons.
//
//	whoever does something   calls Note; without a log in the context that does nothing
//	Record                   never waits: it puts an entry into memory
//	Run                      writes what waits, a batch in one statement
//	a repeat                 what is alike within a minute is one more row, with a count
//	a flood                  each Budget has rows of its own; what exceeds them is summed up by kind and outcome
//	addresses and e-mails    are kept as keyed hashes; passwords, codes and tokens never get here
//	an erasure               takes the person's ids and hashes out of the rows (Log.Forget)
package securitylog
