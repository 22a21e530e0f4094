import { Problem } from '../../src/api/problem';

let csrf = '';

/** Keeps the token that the session's writes carry. */
export function rememberToken(token: string): void {
  csrf = token;
}

async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  const headers: Record<string, string> = { Accept: 'application/json' };
  if (method !== 'GET') headers['X-CSRF-Token'] = csrf;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  const response = await fetch(
    new Request(path, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    }),
  );
  const text = await response.text();
  const said = text && response.headers.get('Content-Type')?.includes('json') ? JSON.parse(text) : undefined;
  if (!response.ok) throw new Problem(response.status, said);
  return said as T;
}

/** The calls of the operators' page; each throws a Problem for an answer that is no success. */
export const get = <T>(path: string, signal?: AbortSignal) => call<T>('GET', path, undefined, signal);
export const post = <T = void>(path: string, body: unknown = {}) => call<T>('POST', path, body);
export const remove = (path: string) => call<void>('DELETE', path);

/** What to tell of a failure. */
export function words(error: unknown): string {
  if (!(error instanceof Problem))
    return 'The shop could not be reached. Check the connection and try again.';
  if (error.detail) return error.detail;
  const fields = Object.entries(error.fields);
  if (fields.length > 0) return fields.map(([field, said]) => `${field}: ${said}`).join(' ');
  return `The shop answered ${error.status}. Try again.`;
}

/** Query parameters, without the empty ones. */
export function search(parameters: Record<string, string | number | undefined>): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined && value !== '') found.set(name, String(value));
  }
  const text = found.toString();
  return text && `?${text}`;
}
