// Package inci knows names of cosmetic ingredients as labels bear them, and finds in a composition those that it does not
// know. It decides nothing: a name that is not in its list may be right.
package inci
