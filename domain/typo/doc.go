// Package typo counts the slips between two words. It imports nothing of ours, so that the write side and the read side, which knows no
// rule of the domain, both use it.
package typo
