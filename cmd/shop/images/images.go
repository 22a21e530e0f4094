package images

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"shop/domain/catalog"
)

// pictures.json is written by web/scripts/images.mjs.
//
//go:embed pictures.json
var picturesFile []byte

// Pictures are the shop's own photographs by the path under which catalog files name them, such as
// /img/products/tilia-lip-balm.
func Pictures() (map[string]catalog.Picture, error) {
	var pictures map[string]catalog.Picture
	if err := json.Unmarshal(picturesFile, &pictures); err != nil {
		return nil, fmt.Errorf("read pictures.json: %w", err)
	}
	return pictures, nil
}
