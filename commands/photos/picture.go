package photos

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"

	"github.com/deepteams/webp"
)

const (
	// quality of the JPEGs, of 100; qualityWebP looks the same.
	quality, qualityWebP = 82, 78
	// largest is the most pixels of a stored picture's side.
	largest = 1600
)

// Widths are the sizes in which a photo of that width is served, in pixels, smallest first.
func Widths(width int) []int {
	var widths []int
	for _, w := range []int{320, 800} {
		if w < width {
			widths = append(widths, w)
		}
	}
	return append(widths, width)
}

// decode reads a picture upright and no larger than the largest stored size.
func decode(content []byte) (*image.RGBA, error) {
	decodeKind := jpeg.Decode
	if bytes.HasPrefix(content, pngMagic) {
		decodeKind = png.Decode
	}
	decoded, err := decodeKind(bytes.NewReader(content))
	if err != nil {
		return nil, ErrKind
	}
	size := decoded.Bounds().Size()
	if side := max(size.X, size.Y); side > largest {
		size.X, size.Y = max(1, size.X*largest/side), max(1, size.Y*largest/side)
	}
	return upright(shrink(decoded, size.X, size.Y), orientation(content)), nil
}

func encode(p image.Image) (picture, error) {
	var asJPEG, asWebP bytes.Buffer
	if err := jpeg.Encode(&asJPEG, p, &jpeg.Options{Quality: quality}); err != nil {
		return picture{}, fmt.Errorf("encode photo: %w", err)
	}
	o := webp.DefaultOptions()
	o.Quality, o.Method = qualityWebP, 0 // the slower methods save a twentieth
	if err := webp.Encode(&asWebP, p, o); err != nil {
		return picture{}, fmt.Errorf("encode photo: %w", err)
	}
	return picture{jpeg: asJPEG.Bytes(), webp: asWebP.Bytes()}, nil
}

// shrink makes each pixel the mean of the pixels that it replaces. It reads the picture row by row, because a whole one may be
// large; transparent pixels become white.
func shrink(from image.Image, width, height int) *image.RGBA {
	var (
		b       = from.Bounds()
		to      = image.NewRGBA(image.Rect(0, 0, width, height))
		row     = image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
		across  = make([]float32, 3*width)
		sum     = make([]float32, 3*width)
		scaleX  = float32(width) / float32(b.Dx())
		scaleY  = float64(height) / float64(b.Dy())
		y       = 0 // the row of to that sum is for
		written = func() {
			for x := range width {
				for c := range 3 {
					to.Pix[y*to.Stride+4*x+c] = uint8(min(255, sum[3*x+c]+0.5))
				}
				to.Pix[y*to.Stride+4*x+3] = 255
			}
			clear(sum)
			y++
		}
	)
	for n := range b.Dy() {
		draw.Draw(row, row.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
		draw.Draw(row, row.Rect, from, image.Pt(b.Min.X, b.Min.Y+n), draw.Over)
		clear(across)
		for i := range b.Dx() {
			begin, end := float32(i)*scaleX, float32(i+1)*scaleX
			x := min(int(begin), width-1)
			here := min(end, float32(x+1)) - begin
			for c := range 3 {
				value := float32(row.Pix[4*i+c])
				across[3*x+c] += value * here
				if rest := end - begin - here; rest > 0 && x+1 < width {
					across[3*(x+1)+c] += value * rest
				}
			}
		}
		begin, end := float64(n)*scaleY, float64(n+1)*scaleY
		here := min(end, float64(y+1)) - begin
		for i, value := range across {
			sum[i] += value * float32(here)
		}
		if end >= float64(y+1)-1e-9 && y < height {
			written()
			if rest := end - begin - here; rest > 0 && y < height {
				for i, value := range across {
					sum[i] += value * float32(rest)
				}
			}
		}
	}
	if y < height {
		written()
	}
	return to
}

// upright turns and mirrors a picture as the camera said, by EXIF's numbers 1 to 8.
func upright(p *image.RGBA, orientation int) *image.RGBA {
	if orientation < 2 || orientation > 8 {
		return p
	}
	w, h := p.Rect.Dx(), p.Rect.Dy()
	turned := image.Rect(0, 0, w, h)
	if orientation >= 5 {
		turned = image.Rect(0, 0, h, w)
	}
	to := image.NewRGBA(turned)
	for y := range turned.Dy() {
		for x := range turned.Dx() {
			fromX, fromY := x, y
			switch orientation {
			case 2:
				fromX = w - 1 - x
			case 3:
				fromX, fromY = w-1-x, h-1-y
			case 4:
				fromY = h - 1 - y
			case 5:
				fromX, fromY = y, x
			case 6:
				fromX, fromY = y, h-1-x
			case 7:
				fromX, fromY = w-1-y, h-1-x
			case 8:
				fromX, fromY = w-1-y, x
			}
			to.SetRGBA(x, y, p.RGBAAt(fromX, fromY))
		}
	}
	return to
}

// orientation finds how a JPEG's camera was held, by EXIF 2.32, 4.6.4 (tag 0x0112 of the first directory); 1 when it
// does not say.
func orientation(content []byte) int {
	if len(content) < 2 || content[0] != 0xff || content[1] != 0xd8 {
		return 1
	}
	for at := 2; at+4 <= len(content) && content[at] == 0xff; {
		marker, size := content[at+1], int(binary.BigEndian.Uint16(content[at+2:]))
		if marker == 0xda || size < 2 || at+2+size > len(content) { // the picture begins: no more about it
			return 1
		}
		if exif, ok := bytes.CutPrefix(content[at+4:at+2+size], []byte("Exif\x00\x00")); marker == 0xe1 && ok {
			return orientationOf(exif)
		}
		at += 2 + size
	}
	return 1
}

// orientationOf reads it from a TIFF header.
func orientationOf(tiff []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(tiff) < 8:
		return 1
	case string(tiff[:2]) == "MM":
		order = binary.BigEndian
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return 1
	}
	entries := int(order.Uint16(tiff[at:]))
	for n := range entries {
		entry := at + 2 + 12*uint64(n)
		if entry+12 > uint64(len(tiff)) {
			return 1
		}
		if order.Uint16(tiff[entry:]) == 0x0112 {
			return int(order.Uint16(tiff[entry+8:]))
		}
	}
	return 1
}
