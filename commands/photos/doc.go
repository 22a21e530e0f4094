// Package photos stores and serves uploaded photos. It recognises their kind by content, bounds their size before decoding,
// and stores a newly encoded picture without the file's metadata.
//
// A photo is kept as JPEG and WebP in up to three sizes, as files that never change, at /media/<id>-<width>.jpg and
// .webp. Its id is a digest of the largest JPEG. The same photo of two people is stored once; the files go with the last owner.
// Each request for such a photo checks its owner, and no shared cache keeps it.
//
// Pictures of the shop's own, of products and posts, come from files of staff and are served at /media/<id>-own-<width>.jpg:
// their id is a digest of that file, so a known file is not decoded again, and every cache may keep them.
package photos
