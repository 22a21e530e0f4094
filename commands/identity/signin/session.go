package signin

import "context"

// Session is the signed-in account of a request and the token of its cookie.
type Session struct {
	Account Account
	Token   string
}

type sessionKey struct{}

// WithSession says on whose behalf a request is made.
func WithSession(ctx context.Context, s Session) context.Context {
	return context.WithValue(ctx, sessionKey{}, s)
}

// SessionOf is the session of a request; the zero value without one.
func SessionOf(ctx context.Context) Session {
	s, _ := ctx.Value(sessionKey{}).(Session)
	return s
}
