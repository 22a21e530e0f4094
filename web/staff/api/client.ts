import createClient from 'openapi-fetch';
import { Problem } from '../../kit/api/problem';
import type { paths as ShopPaths } from '../../kit/api/schema';
import { spokenLanguage } from '../language';
import { fetchProved } from '../session/step-up';
import { clientTexts } from '../texts/ru';
import type { paths } from './schema';

let csrf = '';

/** The position of the last event that this page wrote or heard of. Reads wait until their read model has reached it. */
let written = 0;

/** Keeps the token that the session's writes carry. */
export function rememberToken(token: string): void {
  csrf = token;
}

/** Somebody else's event is at a position: what is read from now on holds it. */
export function sawPosition(position: number): void {
  written = Math.max(written, position);
}

/** An operation without the header of its token: the client adds it to every write. */
type WithoutToken<Operation> = Operation extends { parameters: infer Parameters }
  ? Omit<Operation, 'parameters'> & { parameters: Omit<Parameters, 'header'> }
  : Operation;
type Calls = {
  [Path in keyof paths]: { [Method in keyof paths[Path]]: WithoutToken<paths[Path][Method]> };
};

/** The calls of the staff, typed from their description (cmd/shop/ops/openapi.yaml). */
export const api = createClient<Calls>({ fetch: fetchProved });

api.use({
  onRequest({ request }) {
    request.headers.set('Accept', 'application/json');
    request.headers.set('Accept-Language', spokenLanguage());
    if (request.method !== 'GET') request.headers.set('X-CSRF-Token', csrf);
    if (written > 0) request.headers.set('X-Min-Position', String(written));
  },
  onResponse({ response }) {
    written = Math.max(written, Number(response.headers.get('X-Event-Position')) || 0);
  },
});

/** The body of a call that takes a file as it is. */
export const fileBody = (file: Blob) => ({
  body: file as unknown as string,
  bodySerializer: (body: unknown) => body as BodyInit,
  headers: { 'Content-Type': 'application/octet-stream' },
});

/** What the shop tells everybody, typed from readapi/openapi.json. */
export const shopApi = createClient<ShopPaths>({ fetch: (request) => fetch(request) });

/** What to tell of a failure. */
export function words(error: unknown): string {
  if (!(error instanceof Problem)) return clientTexts.unreachable;
  if (error.detail) return error.detail;
  const fields = Object.entries(error.fields);
  if (fields.length > 0) return fields.map(([field, said]) => `${field}: ${said}`).join(' ');
  return clientTexts.answered(error.status);
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

/** Parameters of a typed call, without the empty ones. */
export const given = <T extends Record<string, unknown>>(parameters: T): T =>
  Object.fromEntries(
    Object.entries(parameters).filter(([, value]) => value !== undefined && value !== ''),
  ) as T;
