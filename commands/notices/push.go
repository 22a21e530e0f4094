package notices

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// errGone: the browser takes no pushes at the address any more.
var errGone = errors.New("the push address is gone")

const (
	// recordSize is that of RFC 8188, of which a push is one record.
	recordSize = 4096
	// pushLives is how long a push service keeps a push for a browser that is not there.
	pushLives = 12 * time.Hour
	// vapidLives is how long a proof of ours is worth something; RFC 8292 allows a day.
	vapidLives = 12 * time.Hour
)

// vapidKey makes the shop's key of RFC 8292 from a secret of 32 bytes: the first hash of it that is a key of P-256.
func vapidKey(secret []byte) (*ecdsa.PrivateKey, error) {
	for n := range byte(8) { // one hash in 2^32 is no key
		candidate := sha256.Sum256(append([]byte{n}, secret...))
		if key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), candidate[:]); err == nil {
			return key, nil
		}
	}
	return nil, errors.New("no VAPID key can be made")
}

// receiver is a browser's keys.
type receiver struct {
	public *ecdh.PublicKey
	auth   []byte
}

func (s Subscription) keys() (receiver, error) {
	public, err := base64.RawURLEncoding.DecodeString(s.Keys.P256dh)
	if err != nil {
		return receiver{}, fmt.Errorf("p256dh: %w", err)
	}
	key, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		return receiver{}, fmt.Errorf("p256dh: %w", err)
	}
	auth, err := base64.RawURLEncoding.DecodeString(s.Keys.Auth)
	if err != nil || len(auth) != 16 {
		return receiver{}, errors.New("auth: want 16 bytes")
	}
	return receiver{key, auth}, nil
}

// encrypt seals a message for a browser by RFC 8291, with a key of its own and a salt that were never used before.
func encrypt(to receiver, message []byte, own *ecdh.PrivateKey, salt []byte) ([]byte, error) {
	if len(message) > recordSize-16-1-86 {
		return nil, errors.New("the push is too long")
	}
	shared, err := own.ECDH(to.public)
	if err != nil {
		return nil, fmt.Errorf("agree on a key: %w", err)
	}
	info := bytes.Join([][]byte{[]byte("WebPush: info\x00"), to.public.Bytes(), own.PublicKey().Bytes()}, nil)
	material, err := hkdf.Key(sha256.New, shared, to.auth, string(info), 32)
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
	public := own.PublicKey().Bytes()
	header := binary.BigEndian.AppendUint32(bytes.Clone(salt), recordSize)
	header = append(append(header, byte(len(public))), public...)
	return seal.Seal(header, nonce, append(bytes.Clone(message), 2), nil), nil // 2: the last record
}

// proof says to a push service that the shop is the one that the browser subscribed to (RFC 8292).
func (b *Board) proof(endpoint, contact string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil {
		return "", errors.New("the push address is none")
	}
	claims, err := json.Marshal(map[string]any{"aud": u.Scheme + "://" + u.Host, "exp": b.now().Add(vapidLives).Unix(), "sub": contact})
	if err != nil {
		return "", err
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + base64.RawURLEncoding.EncodeToString(claims)
	hash := sha256.Sum256([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, b.vapid, hash[:])
	if err != nil {
		return "", fmt.Errorf("sign for a push service: %w", err)
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return "vapid t=" + text + "." + base64.RawURLEncoding.EncodeToString(signature) + ", k=" + b.PushKey(), nil
}

// push sends a message to a browser. errGone: there is no such browser any more.
func (b *Board) push(ctx context.Context, client *http.Client, s Subscription, contact string, message []byte) error {
	to, err := s.keys()
	if err != nil {
		return err
	}
	own, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	salt := make([]byte, 16)
	rand.Read(salt) // never fails
	body, err := encrypt(to, message, own, salt)
	if err != nil {
		return err
	}
	proof, err := b.proof(s.Endpoint, contact)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Endpoint, bytes.NewReader(body))
	if err != nil {
		return errors.New("the push address is none")
	}
	request.Header.Set("Authorization", proof)
	request.Header.Set("Content-Encoding", "aes128gcm")
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("TTL", strconv.Itoa(int(pushLives.Seconds())))
	request.Header.Set("Urgency", "high")
	status, err := sent(client, request)
	switch {
	case err != nil:
		return err
	case status == http.StatusNotFound, status == http.StatusGone:
		return errGone
	}
	return answered(status)
}
