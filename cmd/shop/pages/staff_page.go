package pages

import (
	"net/http"
)

// StaffPage serves the page of the staff, the same to everybody under every address of it: what it shows comes from the API,
// to those who are signed in.
func (p *Pages) StaffPage(https bool) http.HandlerFunc {
	policy := p.StaffPolicy()
	if https {
		policy += UpgradeInsecure
	}
	return func(w http.ResponseWriter, _ *http.Request) {
		header := w.Header()
		header.Set("Content-Type", "text/html; charset=utf-8")
		header.Set("Cache-Control", "no-store")
		header.Set("X-Robots-Tag", "noindex")
		header.Set("Content-Security-Policy", policy)
		// The warehouse scans with the camera.
		header.Set("Permissions-Policy", "camera=(self), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()")
		w.Write(p.Staff)
	}
}
