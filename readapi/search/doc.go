// Package search finds products by what shoppers type. It keeps an index of the goods on sale in memory: for each key, which is a word's
// dictionary form, a root, a meaning of several words or a need, the products that have it and where. A lexicon that the merchant edits says which
// words mean the same and which needs there are. The index follows the read model catalog: before each search it asks, in one query,
// whether anything has changed, and reads what has.
package search
