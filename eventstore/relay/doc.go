// Package relay carries the log to NATS JetStream, for regions and for other programs.
//
// Here lives what publishes: the stream and its settings, messages, headers, and how far each range is complete. What
// regions make of the messages lives in package mirror.
//
// JetStream is a carrier, never the truth: it may lose what it acknowledged, and every reader that needs all events
// refills from the log. So the protocol makes every loss visible. The README beside this file has it, with what the relay
// does when something fails.
package relay
