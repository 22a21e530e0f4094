package edge

import (
	"net/http"
	"time"

	"github.com/google/uuid"

	"shop/commands/identity/credential"
)

const (
	// maxStaffDevices are the staff accounts that one browser is known to.
	maxStaffDevices = 3
	staffDeviceFor  = 180 * 24 * time.Hour
)

// deviceName of the cookie by which a browser is known that has signed in; see cookieName.
func (s *Site) deviceName() string { return s.cookieName() + "-device" }

func (s *Site) staffDevices(r *http.Request) []string {
	cookie, err := r.Cookie(s.deviceName())
	if err != nil {
		return nil
	}
	return credential.Tokens(cookie.Value, maxStaffDevices)
}

// knowDevice lets a browser be known at the next sign-in to an account.
func (s *Site) knowDevice(w http.ResponseWriter, r *http.Request, account uuid.UUID) {
	known := s.staffDevices(r)
	if s.Staff.KnowsDevice(account, known) {
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: s.deviceName(), Value: credential.JoinTokens(maxStaffDevices, s.Staff.Device(account), known), Path: "/", MaxAge: int(staffDeviceFor.Seconds()),
		HttpOnly: true, Secure: s.Https, SameSite: http.SameSiteStrictMode,
	})
}
