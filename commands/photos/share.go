package photos

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	riff "golang.org/x/image/webp"
)

// ShareWidth and ShareHeight are the size of a picture that stands for a page where its link is shared.
const ShareWidth, ShareHeight = 1200, 630

// ForSharing makes a JPEG of the size for sharing from a JPEG, PNG or WebP. A picture that is nearly as wide fills it; a narrower one
// stands in its middle, and its edges go on to both sides, which a photograph before a plain backdrop hardly shows.
func ForSharing(content []byte) ([]byte, error) {
	decodeKind := jpeg.Decode
	switch {
	case bytes.HasPrefix(content, pngMagic):
		decodeKind = png.Decode
	case bytes.HasPrefix(content, []byte("RIFF")):
		decodeKind = riff.Decode
	}
	decoded, err := decodeKind(bytes.NewReader(content))
	if err != nil {
		return nil, ErrKind
	}
	size := decoded.Bounds().Size()
	if size.X < 1 || size.Y < 1 || max(size.X, size.Y) > largest {
		return nil, ErrKind
	}
	from := shrink(decoded, size.X, size.Y) // opaque
	to := image.NewRGBA(image.Rect(0, 0, ShareWidth, ShareHeight))
	scale := float64(ShareHeight) / float64(size.Y)
	if wide := float64(ShareWidth) / float64(size.X); wide < 1.3*scale {
		scale = max(scale, wide)
	}
	if scale < 1 {
		from = shrink(from, max(1, int(float64(size.X)*scale+0.5)), max(1, int(float64(size.Y)*scale+0.5)))
		size, scale = from.Rect.Size(), 1
	}
	left := (ShareWidth - float64(size.X)*scale) / 2
	top := (ShareHeight - float64(size.Y)*scale) / 2
	edges := [2][]color.RGBA{edge(from, 0), edge(from, size.X-1)}
	for y := range ShareHeight {
		fromY := (float64(y)+0.5-top)/scale - 0.5
		for x := range ShareWidth {
			switch fromX := (float64(x)+0.5-left)/scale - 0.5; {
			case fromX < -0.5:
				to.SetRGBA(x, y, edges[0][clamp(int(fromY+0.5), size.Y)])
			case fromX > float64(size.X)-0.5:
				to.SetRGBA(x, y, edges[1][clamp(int(fromY+0.5), size.Y)])
			default:
				to.SetRGBA(x, y, between(from, fromX, fromY))
			}
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, to, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("encode picture to share: %w", err)
	}
	return b.Bytes(), nil
}

func clamp(at, length int) int { return min(max(at, 0), length-1) }

// between is the colour at a place between pixels, whose middles have whole numbers.
func between(p *image.RGBA, x, y float64) color.RGBA {
	size := p.Rect.Size()
	x, y = min(max(x, 0), float64(size.X-1)), min(max(y, 0), float64(size.Y-1))
	x0, y0 := int(x), int(y)
	x1, y1 := clamp(x0+1, size.X), clamp(y0+1, size.Y)
	right, below := x-float64(x0), y-float64(y0)
	at := func(x, y, c int) float64 { return float64(p.Pix[y*p.Stride+4*x+c]) }
	mixed := func(c int) uint8 {
		above := at(x0, y0, c)*(1-right) + at(x1, y0, c)*right
		under := at(x0, y1, c)*(1-right) + at(x1, y1, c)*right
		return uint8(above*(1-below) + under*below + 0.5)
	}
	return color.RGBA{mixed(0), mixed(1), mixed(2), 255}
}

// edge is a column of a picture without its details: each pixel the mean of its neighbours above and below.
func edge(p *image.RGBA, column int) []color.RGBA {
	const around = 24
	height := p.Rect.Dy()
	colours := make([]color.RGBA, height)
	for y := range height {
		var sum [3]int
		first, last := max(0, y-around), min(height-1, y+around)
		for n := first; n <= last; n++ {
			for c := range 3 {
				sum[c] += int(p.Pix[n*p.Stride+4*column+c])
			}
		}
		count := last - first + 1
		colours[y] = color.RGBA{uint8(sum[0] / count), uint8(sum[1] / count), uint8(sum[2] / count), 255}
	}
	return colours
}
