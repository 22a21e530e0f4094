package signin

import (
	"strings"
	"testing"
	"time"
)

// The vectors of RFC 6238, appendix B, for SHA-1.
func TestCodesOfTheRFC(t *testing.T) {
	t.Parallel()
	secret := []byte("12345678901234567890")
	for at, want := range map[int64]string{
		59: "94287082", 1111111109: "07081804", 1111111111: "14050471", 1234567890: "89005924", 2000000000: "69279037", 20000000000: "65353130",
	} {
		if got := hotp(secret, at/codePeriod, 8); got != want {
			t.Errorf("at %d the code is %s, want %s", at, got, want)
		}
		if step, ok := stepOf(secret, want[2:], time.Unix(at, 0), 0); !ok || step != at/codePeriod {
			t.Errorf("at %d the code is of step %d, %v", at, step, ok)
		}
	}
}

func TestACodeIsGoodForAStepEitherWayAndOnce(t *testing.T) {
	t.Parallel()
	secret, now := newSecret(), time.Unix(1_800_000_000, 0)
	present := now.Unix() / codePeriod
	for off, want := range map[int64]bool{-2: false, -1: true, 0: true, 1: true, 2: false} {
		step, ok := stepOf(secret, hotp(secret, present+off, codeDigits), now, 0)
		if ok != want || ok && step != present+off {
			t.Errorf("a code %d steps off: %v, step %d", off, ok, step-present)
		}
	}
	if _, ok := stepOf(secret, hotp(secret, present, codeDigits), now, present); ok {
		t.Error("a code of the step used last is taken")
	}
	if _, ok := stepOf(secret, hotp(secret, present-1, codeDigits), now, present); ok {
		t.Error("a code of a step before the last one is taken")
	}
}

func TestAuthenticatorsReadTheURI(t *testing.T) {
	t.Parallel()
	got := KeyURI("Дала Шоп", "a+b@shop.example", []byte("12345678901234567890"))
	for _, want := range []string{"otpauth://totp/", ":a+b@shop.example?", "secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&", "issuer=%D0", "%20", "digits=6", "period=30"} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
}
