package anchor

// Stream is where all anchors are.
const Stream = "log-anchors"

// Anchored is a fact about the log: its events from after From up to and with UpTo, Count of them, were as Hash says. The anchor
// itself is later than UpTo, so a later anchor covers it.
type Anchored struct {
	From  int64 `json:"from"`
	UpTo  int64 `json:"up_to"`
	Count int64 `json:"count"`
	// Hash is the chain's after UpTo, hexadecimal.
	Hash string `json:"hash"`
	// Key names the key, Signature is made with it; both hexadecimal.
	Key       string `json:"key"`
	Signature string `json:"signature"`
}

// EventType is the stored name.
func (Anchored) EventType() string { return "log.anchored" }
