package importer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"shop/commands/photos"
	"shop/domain"
	"shop/domain/catalog"
)

// PictureFiles turns files that a catalog or a post names into pictures of the shop's own, in the sizes and encodings that
// photos of shoppers have. The same file is the same picture again.
type PictureFiles struct {
	// Folder is where the files are; nothing outside of it is read, whatever a catalog says.
	Folder *os.Root
	Album  *photos.Album
	// Kept: pictures stay also while nothing shows them yet, as those of a change that waits.
	Kept bool
}

// unusable says why a file is no picture, for whoever wrote the catalog.
type unusable string

func (e unusable) Error() string { return string(e) }

// Store keeps a file's picture for its owner, a product or a post.
func (f *PictureFiles) Store(ctx context.Context, owner domain.ID, name string) (catalog.Picture, error) {
	return f.picture(name, func(file *os.File) (photos.Photo, error) {
		if f.Kept {
			return f.Album.AddKept(ctx, owner, file)
		}
		return f.Album.AddOwn(ctx, owner, file)
	})
}

// Look is what Store would answer. It stores nothing.
func (f *PictureFiles) Look(ctx context.Context, name string) (catalog.Picture, error) {
	return f.picture(name, func(file *os.File) (photos.Photo, error) { return f.Album.LookOwn(ctx, file) })
}

// picture is what a file is taken as. A file that is no picture is refused with unusable.
func (f *PictureFiles) picture(name string, take func(*os.File) (photos.Photo, error)) (catalog.Picture, error) {
	if f == nil {
		return catalog.Picture{}, unusable(fmt.Sprintf("%q is a file, and there is no folder of pictures", name))
	}
	file, err := f.Folder.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return catalog.Picture{}, unusable(fmt.Sprintf("%q is not in the folder of pictures", name))
	}
	if err != nil {
		return catalog.Picture{}, unusable(fmt.Sprintf("%q cannot be opened: %v", name, err))
	}
	defer file.Close()
	photo, err := take(file)
	switch {
	case errors.Is(err, photos.ErrKind):
		return catalog.Picture{}, unusable(fmt.Sprintf("%q is neither PNG nor JPEG, or is damaged", name))
	case errors.Is(err, photos.ErrTooLarge):
		return catalog.Picture{}, unusable(fmt.Sprintf("%q is larger than %d MiB", name, photos.MaxBytes>>20))
	case errors.Is(err, photos.ErrPixels):
		return catalog.Picture{}, unusable(fmt.Sprintf("%q has more than %d megapixels", name, photos.MaxPixels/1_000_000))
	case err != nil:
		return catalog.Picture{}, fmt.Errorf("picture %q: %w", name, err)
	}
	return PictureOf(photo), nil
}

// PictureOf is a photo as a picture of the catalog.
func PictureOf(p photos.Photo) catalog.Picture {
	var jpeg, webp []string
	for _, width := range photos.Widths(p.Width) {
		address := photos.OwnURL(p.ID, width)
		jpeg = append(jpeg, fmt.Sprintf("%s %dw", address, width))
		webp = append(webp, fmt.Sprintf("%s.webp %dw", strings.TrimSuffix(address, ".jpg"), width))
	}
	return catalog.Picture{
		Src: photos.OwnURL(p.ID, min(p.Width, 800)), Width: p.Width, Height: p.Height,
		Sources: []catalog.Source{{Type: "image/webp", Srcset: strings.Join(webp, ", ")}, {Type: "image/jpeg", Srcset: strings.Join(jpeg, ", ")}},
	}
}
