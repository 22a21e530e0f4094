package domain

// Refusal is a command's "no": a rule of the shop forbids it. A refusal is a value made once, compared with errors.Is,
// which goes by the code.
type Refusal struct {
	// Code is public and stable, such as "order/already-paid".
	Code string
	// Message says why, in Russian when a shopper can meet it.
	Message string
}

// Refuse names a refusal.
func Refuse(code, message string) *Refusal { return &Refusal{Code: code, Message: message} }

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// Is says whether target is the same refusal, whatever facts its message carries.
func (r *Refusal) Is(target error) bool {
	other, ok := target.(*Refusal)
	return ok && other.Code == r.Code
}

// With is the same refusal with the facts of the case in its message.
func (r *Refusal) With(message string) *Refusal { return &Refusal{Code: r.Code, Message: message} }
