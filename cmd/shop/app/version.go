package app

import "runtime/debug"

// release is set by the linker (-X shop/cmd/shop/app.release=…); without it the commit the program was built from is told.
var release string

func Version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "development"
}
