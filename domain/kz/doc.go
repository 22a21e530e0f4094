// Package kz holds what the shop's country fixes. It imports nothing of ours, so that the read side, which knows no
// rule of the domain, can use it as well.
package kz
