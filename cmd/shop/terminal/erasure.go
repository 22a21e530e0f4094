package terminal

// BeyondReach is what an erasure leaves, because the shop cannot get at it.
const BeyondReach = `The shop cannot reach, so delete there what the law asks for:
- what the payment provider keeps of payments
- traces and logs that were sent to a collector
- dumps and exports made before, and keys that were exported
- the write-ahead log and its archives, until they are recycled
- letters in mailboxes
`
