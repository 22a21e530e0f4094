package notices

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"
)

func unbase(t *testing.T, text string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestPushIsEncryptedAsTheStandardShows: the example of RFC 8291, section 5.
func TestPushIsEncryptedAsTheStandardShows(t *testing.T) {
	t.Parallel()
	var s Subscription
	s.Keys.P256dh = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	s.Keys.Auth = "BTBZMqHH6r4Tts7J_aSIgg"
	to, err := s.keys()
	if err != nil {
		t.Fatal(err)
	}
	own, err := ecdh.P256().NewPrivateKey(unbase(t, "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := encrypt(to, []byte("When I grow up, I want to be a watermelon"), own, unbase(t, "DGv6ra1nlYgDCS1FRnbzlw"))
	if err != nil {
		t.Fatal(err)
	}
	want := unbase(t, "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
	if !bytes.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if _, err := encrypt(to, make([]byte, recordSize), own, make([]byte, 16)); err == nil {
		t.Error("a push that fits in no record is sent")
	}
}

// opened decrypts a push as a browser does.
func opened(own *ecdh.PrivateKey, auth, body []byte) ([]byte, error) {
	salt, sender := body[:16], body[21:21+65]
	from, err := ecdh.P256().NewPublicKey(sender)
	if err != nil {
		return nil, err
	}
	shared, err := own.ECDH(from)
	if err != nil {
		return nil, err
	}
	info := bytes.Join([][]byte{[]byte("WebPush: info\x00"), own.PublicKey().Bytes(), sender}, nil)
	material, err := hkdf.Key(sha256.New, shared, auth, string(info), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, material, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	seal, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := seal.Open(nil, nonce, body[86:], nil)
	if err != nil {
		return nil, err
	}
	if len(plain) == 0 || plain[len(plain)-1] != 2 {
		return nil, errors.New("not the last record")
	}
	return plain[:len(plain)-1], nil
}

// proved checks the VAPID header of a push, and answers its claims.
func proved(t *testing.T, header string) map[string]any {
	t.Helper()
	token, key, _ := strings.Cut(strings.TrimPrefix(header, "vapid t="), ", k=")
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), unbase(t, key))
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(token, ".")
	signature := unbase(t, parts[2])
	hash := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(public, hash[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the proof is not signed by the key that it names")
	}
	var claims map[string]any
	if err := json.Unmarshal(unbase(t, parts[1]), &claims); err != nil {
		t.Fatal(err)
	}
	return claims
}

func TestTheShopsKeyForPushesStays(t *testing.T) {
	t.Parallel()
	one, err := vapidKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	same, err := vapidKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	other, err := vapidKey(bytes.Repeat([]byte{8}, 32))
	if err != nil {
		t.Fatal(err)
	}
	if !one.Equal(same) || one.Equal(other) {
		t.Error("the key does not follow from the secret alone")
	}
}

func TestQuietHoursAndTheMorning(t *testing.T) {
	t.Parallel()
	at := func(clock string) time.Time {
		when, err := time.Parse("2006-01-02 15:04 -07", "2026-11-23 "+clock+" +05")
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	minutes := func(hour int) *int { m := hour * 60; return &m }
	for _, c := range []struct {
		now      string
		from, to *int
		digest   bool
		want     time.Time
	}{
		{"12:00", nil, nil, false, at("12:00")},
		{"12:00", minutes(22), minutes(8), false, at("12:00")},
		{"23:10", minutes(22), minutes(8), false, at("08:00").AddDate(0, 0, 1)},
		{"03:00", minutes(22), minutes(8), false, at("08:00")},
		{"08:00", minutes(22), minutes(8), false, at("08:00")},
		{"13:30", minutes(13), minutes(14), false, at("14:00")},
		{"13:30", minutes(13), minutes(13), false, at("13:30")},
		{"12:00", nil, nil, true, at("08:00").AddDate(0, 0, 1)},
		{"07:59", nil, nil, true, at("08:00")},
		{"12:00", minutes(22), minutes(9), true, at("09:00").AddDate(0, 0, 1)},
	} {
		if got := dueAt(at(c.now), c.from, c.to, c.digest); !got.Equal(c.want) {
			t.Errorf("%+v: %s, want %s", c, got, c.want)
		}
	}
}
