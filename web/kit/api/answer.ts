import { Problem } from './problem';

/** The body of a success; throws a Problem for any other answer. */
export async function answer<T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<NonNullable<T>> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined || data === null) throw new Problem(response.status, error);
  return data;
}

/** For calls whose success says no more than that; throws a Problem for any other answer. */
export async function done(call: Promise<{ error?: unknown; response: Response }>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw new Problem(response.status, error);
}
