package credential

import (
	"slices"
	"testing"

	"github.com/google/uuid"
)

func TestDevicesAreKnownToTheirAccountAlone(t *testing.T) {
	t.Parallel()
	d, one, two := DevicesOf([]byte("secret"), "customers"), uuid.New(), uuid.New()
	token := d.New(one)
	if d.Known(one, []string{"nonsense", token}) != token {
		t.Error("a device is not known")
	}
	staffs := DevicesOf([]byte("secret"), "staff")
	for name, known := range map[string]string{
		"another account": d.Known(two, []string{token}), "another purpose": staffs.Known(one, []string{token}), "nothing": d.Known(one, nil),
		"a changed token": d.Known(one, []string{"A" + token[1:] + "A"}), "a shorter token": d.Known(one, []string{token[:20]}),
	} {
		if known != "" {
			t.Errorf("%s knows %q", name, known)
		}
	}
	if d.New(one) == token {
		t.Error("two devices have one token")
	}
}

func TestTokensOfACookieAreFew(t *testing.T) {
	t.Parallel()
	if got := Tokens("a.b.c.d.e", 3); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%q", got)
	}
	if got := Tokens("", 3); len(got) != 0 {
		t.Errorf("%q", got)
	}
}
