import { isRecord, type Problem } from '../../kit/api/problem';
import type { components } from '../../kit/api/schema';

export type LineError = components['schemas']['LineError'];
export type Conflict = components['schemas']['Conflict'];

/** One entry for each line of the request, in its order; undefined when the refusal is about something else. */
export function linesOf({ body }: Problem): LineError[] | undefined {
  const said = isRecord(body) ? body.products : undefined;
  return Array.isArray(said) && said.length > 0 && said.every(isRecord) ? (said as LineError[]) : undefined;
}
