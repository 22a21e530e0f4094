// Package traceparent writes spans as W3C headers, as events store them, and reads those.
package traceparent
