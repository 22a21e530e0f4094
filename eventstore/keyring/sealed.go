package keyring

import (
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
)

// errNoRing: without a key file nothing can be sealed with it.
var errNoRing = errors.New("there is no key file: set SHOP_KEY_FILE")

// stanza is the name of this way of wrapping in the header of an age file.
const stanza = "shop-key-file"

// Seal encrypts what is written to it, for whoever has the first key of the file. The format is age's (age-encryption.org/v1): a key of the
// file's own, wrapped with the ring as a key of the use. Close what it returns: a file that lacks its end does not open.
func (r *Ring) Seal(use Use, w io.Writer) (io.WriteCloser, error) {
	if r == nil {
		return nil, errNoRing
	}
	return age.Encrypt(w, sealer{r, use})
}

// Unseal decrypts what Seal wrote for the use. It refuses with *Unknown, ErrDamaged or age's error, the latter also while it is read.
func (r *Ring) Unseal(use Use, from io.Reader) (io.Reader, error) {
	if r == nil {
		return nil, errNoRing
	}
	plain, err := age.Decrypt(from, sealer{r, use})
	if none := new(age.NoIdentityMatchError); errors.As(err, &none) {
		return nil, fmt.Errorf("not sealed with a key file: %w", err)
	}
	return plain, err
}

// sealer wraps and unwraps the key of a file.
type sealer struct {
	ring *Ring
	use  Use
}

// Wrap implements age.Recipient. A file's key is shorter than those of a ring; what is missing is zeros.
func (s sealer) Wrap(fileKey []byte) ([]*age.Stanza, error) {
	padded := make([]byte, Size)
	copy(padded, fileKey)
	wrapped, by := s.ring.Wrap(s.use, padded)
	return []*age.Stanza{{Type: stanza, Args: []string{by.String()}, Body: wrapped}}, nil
}

// fileKeySize is that of age's keys.
const fileKeySize = 16

// Unwrap implements age.Identity.
func (s sealer) Unwrap(stanzas []*age.Stanza) ([]byte, error) {
	for _, one := range stanzas {
		if one.Type != stanza {
			continue
		}
		if len(one.Body) != WrappedSize {
			return nil, fmt.Errorf("the key of %s %w", s.use, ErrDamaged)
		}
		padded, err := s.ring.Unwrap(s.use, one.Body)
		if err != nil {
			return nil, err
		}
		return padded[:fileKeySize], nil
	}
	return nil, age.ErrIncorrectIdentity
}
