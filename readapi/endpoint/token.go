package endpoint

import (
	"fmt"
	"hash/crc32"
	"net/http"
	"strconv"
	"strings"
)

// Token is what a shopper has seen of the log.
type Token struct {
	// Position is the last; 0: nothing is known.
	Position int64
	// Epoch is the mark of the history that it belongs to; empty: the present one is meant, as by all older tokens.
	Epoch string
}

// Where the epoch of a token is: behind the position ("812.9c1f03aa"), or in a cookie. Answers to commands name it in EpochHeader.
const (
	EpochHeader = "X-Event-Epoch"
	EpochCookie = "shop_epoch"
)

// EpochMark is a short name of a log's epoch. Two of one log have the same by chance once in four thousand million times.
func EpochMark(epoch string) string {
	return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(epoch)))
}

// SeenBy is what a request says that it has seen.
func SeenBy(r *http.Request) Token {
	text, epoch, named := strings.Cut(r.Header.Get("X-Min-Position"), ".")
	position, err := strconv.ParseInt(text, 10, 64)
	if err != nil || position <= 0 {
		return Token{}
	}
	if !named {
		if kept, err := r.Cookie(EpochCookie); err == nil {
			epoch = kept.Value
		}
	}
	return Token{position, epoch}
}

// Foreign says that a token is of another history than an epoch's mark, so that their positions cannot be compared.
func (t Token) Foreign(mark string) bool { return t.Position > 0 && t.Epoch != "" && t.Epoch != mark }
