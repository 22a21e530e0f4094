// Package anchor seals the log day by day and finds what was changed in it since.
//
// The chain begins with 32 zero bytes. Each event, in order of positions, makes the next link: SHA-256 of the link before and of the event
// as it is stored, personal fields sealed. An anchor is an event with the link at a position, signed (HMAC-SHA256) with a key that the key
// file wraps: who can write the database alone can change events and anchors, and cannot sign them. It covers the events since the anchor
// before, that anchor with them. To erase a person deletes a key and no event, so the chain still fits.
//
// What it does not find: the newest events, since the last anchor, and a log cut off at its end together with its last anchors. Whoever
// keeps the last anchor's position and hash elsewhere finds that too.
package anchor
