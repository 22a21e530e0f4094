// Package coalesce lets callers that wait at the same time share one piece of work: group commit for whatever costs as
// much for many as for one. It knows no log and no database: a batch begins when the one before it ends, or a moment later where Gather
// says so, and a lone call begins at once. Deduplication of equal calls is another thing (golang.org/x/sync/singleflight).
//
//	what happens                          what the group promises
//	calls come while a batch is running   they wait and form the next batches, first come first served, within the bounds
//	Run asks for those that wait meanwhile they join its batch, within the bound of calls
//	ctx ends while the call waits         the call leaves; no batch sees it
//	ctx ends while its batch runs         Do returns at once, and the work goes on; Finish waits for the outcome
//	Run panics, or ends its goroutine     each member panics with *Panic; without any left to tell, the program does
//	Run returns without an answer         the member is told ErrUnanswered
//	a batch fails                         the calls that wait behind it are not concerned
package coalesce
