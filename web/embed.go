// Package web holds the built storefront.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Dist is the built storefront.
func Dist() (fs.FS, error) { return fs.Sub(dist, "dist") }
