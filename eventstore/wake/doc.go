// Package wake holds the two kinds of wake-up that the log and the feed use. A wake-up carries nothing and is not
// counted: several that come before the sleeper looks are one. What lives elsewhere: everything that is sent, queued or
// waited for one by one. Pause is here as well, a sleep that ends with its context, and Names, for sleepers who must know about whom
// they were woken.
package wake
