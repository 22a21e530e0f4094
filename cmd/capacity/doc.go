// Command capacity predicts, from figures that were measured, what a shop of a size needs and what is at its limit first. Commits are
// simulated one by one, as batches that wait for one flush; the rest is multiplied. docs/scale.md holds what it prints.
package main
