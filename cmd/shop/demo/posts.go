package demo

import (
	"embed"
	"io/fs"

	"shop/cmd/shop/images"
	"shop/commands/importer/pagefile"
)

//go:embed posts/*.md
var postFiles embed.FS

// Posts are the demo's posts in the order in which they were published. They have no dates: the demo's past is as old
// as the day it is loaded.
func Posts() ([]pagefile.Post, error) {
	pictures, err := images.Pictures()
	if err != nil {
		return nil, err
	}
	names, err := fs.Glob(postFiles, "posts/*.md")
	if err != nil {
		return nil, err
	}
	posts := make([]pagefile.Post, len(names))
	for i, name := range names {
		text, err := postFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if posts[i], err = pagefile.ReadPost(name, text, pictures, nil); err != nil {
			return nil, err
		}
	}
	return posts, nil
}
