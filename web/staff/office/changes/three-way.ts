import { isRecord } from '../../../kit/api/problem';

/** A member of a value that two people changed, each in another way. An empty path is the value itself. */
export type Both = { path: string[]; mine: unknown; theirs: unknown };

/** Members that belong to another one: a picture's measures are those of that picture, HTML is made of its source. */
const belongsTo: Record<string, string> = { photo: 'picture', html: 'source' };

/** Whether two values are the same, in whichever order their members stand. */
export function alike(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((value, at) => alike(value, other[at]));
  if (isRecord(one) && isRecord(other))
    return Object.keys({ ...one, ...other }).every((name) => alike(one[name], other[name]));
  return (one ?? null) === (other ?? null);
}

/**
 * Merges what two people made of one value. Members that one of them alone changed are as that person left them; members
 * that both changed are mine in the result, and listed.
 */
export function threeWay(
  was: unknown,
  mine: unknown,
  theirs: unknown,
  path: string[] = [],
): { merged: unknown; both: Both[] } {
  if (alike(mine, was) || alike(mine, theirs)) return { merged: theirs, both: [] };
  if (alike(theirs, was)) return { merged: mine, both: [] };
  if (!isRecord(was) || !isRecord(mine) || !isRecord(theirs))
    return { merged: mine, both: [{ path, mine, theirs }] };
  const both: Both[] = [];
  const merged: Record<string, unknown> = {};
  for (const name of Object.keys({ ...theirs, ...mine })) {
    if (belongsTo[name]) continue;
    const member = threeWay(was[name], mine[name], theirs[name], [...path, name]);
    merged[name] = member.merged;
    both.push(...member.both);
  }
  for (const [name, to] of Object.entries(belongsTo)) {
    if (name in mine) merged[name] = (alike(merged[to], theirs[to]) ? theirs : mine)[name];
  }
  return { merged, both };
}

/** A merged value with another one's member in the place of mine, and what belongs to it. */
export function taking(merged: unknown, { path, theirs }: Both, from: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined || !isRecord(merged)) return theirs;
  const source = isRecord(from) ? from : {};
  const taken: Record<string, unknown> = {
    ...merged,
    [name]: taking(merged[name], { path: rest, mine: undefined, theirs }, source[name]),
  };
  for (const [belonging, to] of Object.entries(belongsTo)) {
    if (to === name && belonging in taken) taken[belonging] = source[belonging];
  }
  return taken;
}
