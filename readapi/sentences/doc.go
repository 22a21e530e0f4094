// Package sentences has in Kazakh what the server tells shoppers: refusals, failures and what was done. The sentences themselves are where
// they are decided, in Russian.
package sentences
