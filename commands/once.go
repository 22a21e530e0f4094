package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"shop/eventstore"
)

// Once carries out a command at most once for a key: a repeat is answered as the first time, and adds nothing. do carries it
// out, and its unit remembers the answer. An empty key: every request is one of its own.
//
// A repeated request fails at its key, or earlier: what is in its way may be what the first one took. So the key is looked
// for only after a failure, and whoever asks for the first time, which is nearly everybody, does without. A command that
// costs much before it can fail asks Recall first.
//
// repeated: the key was known. The answer is the first one's then, and the position 0; the error is ErrKeyTaken when
// another request had the key.
func Once[A any](ctx context.Context, h *Handler, key eventstore.Key, do func() (A, eventstore.Position, error)) (answer A, position eventstore.Position, repeated bool, err error) {
	answer, position, err = do()
	if err == nil {
		return answer, position, false, nil
	}
	known, repeated, errRecall := Recall[A](ctx, h, key)
	if repeated || errRecall != nil {
		return known, 0, true, errRecall
	}
	return known, 0, false, err
}

// Recall looks for an earlier answer to a key; false when there is none. When another request got it, it is ErrKeyTaken.
func Recall[A any](ctx context.Context, h *Handler, key eventstore.Key) (answer A, found bool, err error) {
	if key.Key == "" {
		return answer, false, nil
	}
	known, found, err := h.log.Recall(ctx, key.Scope, key.Key)
	switch {
	case err != nil:
		return answer, false, fmt.Errorf("recall key: %w", err)
	case !found:
		return answer, false, nil
	case !bytes.Equal(known.Request, key.Request):
		return answer, false, ErrKeyTaken
	}
	if err := json.Unmarshal(known.Response, &answer); err != nil {
		return answer, false, fmt.Errorf("read remembered answer: %w", err)
	}
	return answer, true, nil
}

// Remember writes a key with the append, and what to answer those who ask under it again. An empty key is not written.
func (u *Unit) Remember(key eventstore.Key, answer any) error {
	if key.Key == "" {
		return nil
	}
	response, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("write answer to remember: %w", err)
	}
	key.Response = response
	u.Key = &key
	return nil
}
