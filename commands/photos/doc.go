// Package photos takes the photos that people send and serves them: their kind is told by content, their size bounded
// before anything is decoded, and what is stored is a new picture without a word of what the file said besides.
//
// A photo is kept as JPEG and WebP in up to three sizes, as files that never change, at /media/<id>-<width>.jpg and
// .webp. Its id is a digest of the largest JPEG. The same photo of two people is stored once; the files go with the last owner.
// Such a photo is asked for its owner at each request, and no shared cache keeps it.
//
// Pictures of the shop's own, of products and posts, come from files of staff and stand at /media/<id>-own-<width>.jpg: their id
// is a digest of that file, so one that came before need not be decoded again, and anybody may keep them.
package photos
