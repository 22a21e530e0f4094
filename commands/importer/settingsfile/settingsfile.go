package settingsfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"shop/domain/settings"
)

// File is settings as files say them. Version is the one they were in force as; nil: the file does not say.
type File struct {
	Version *int64 `json:"version"`
	settings.Settings
}

// Read reads a file of settings over those in force; a list is replaced as a whole. Its errors name the field.
func Read(text []byte, now settings.Settings) (File, error) {
	said, err := yaml.YAMLToJSON(text) // JSON is YAML
	if err != nil || !bytes.HasPrefix(bytes.TrimSpace(said), []byte("{")) {
		return File{}, errors.New("want fields of the settings, as YAML or JSON")
	}
	file := File{Settings: now}
	// A list of the file would else be decoded over the elements of the present one.
	file.NoDelivery, file.Holidays, file.Menu, file.FooterMenu = nil, nil, nil, nil
	strict := json.NewDecoder(bytes.NewReader(said))
	strict.DisallowUnknownFields()
	err = strict.Decode(&file)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return File{}, fmt.Errorf("%s: must be no %s", strings.TrimPrefix(kind.Field, "Settings."), kind.Value)
	}
	if err != nil {
		return File{}, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if file.NoDelivery == nil {
		file.NoDelivery = now.NoDelivery
	}
	if file.Holidays == nil {
		file.Holidays = now.Holidays
	}
	if file.Menu == nil {
		file.Menu = now.Menu
	}
	if file.FooterMenu == nil {
		file.FooterMenu = now.FooterMenu
	}
	return file, nil
}
