package words

import "testing"

func TestSingular(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]string{
		"oils": "oil", "berries": "berry", "boxes": "box", "brushes": "brush", "masks": "mask", "creams": "cream",
		"gloss": "gloss", "hibiscus": "hibiscus", "iris": "iris", "men's": "men's", "spa": "spa", "gas": "gas", "масс": "масс", "": "",
	} {
		if got := Singular(word); got != want {
			t.Errorf("%q is %q, want %q", word, got, want)
		}
	}
}
