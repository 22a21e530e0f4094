// Command hostile runs the shop for minutes while everything happens to it that happens to a shop, and then proves that
// nothing was lost, doubled, reordered or miscounted. docs/proof.md says what is proved, and what is not.
package main
