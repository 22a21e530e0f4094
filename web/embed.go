package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var files embed.FS

// Dist is the built storefront: index.html, hashed files under assets/, and beside every text file its precompressed
// .br and .gz. The manifest of the build is .vite/manifest.json. Without a build it holds no index.html.
func Dist() fs.FS {
	dist, err := fs.Sub(files, "dist")
	if err != nil {
		panic(err) // The folder is named by the directive above: a failure is a broken build.
	}
	return dist
}
