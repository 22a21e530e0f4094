import type { ClientPathsWithMethod, FetchResponse } from 'openapi-fetch';
import { answer } from '../../kit/api/answer';
import type { paths } from '../../kit/api/schema';
import { api } from './client';

type Readable = ClientPathsWithMethod<typeof api, 'get'>;
type Params<P extends Readable> = paths[P]['get'] extends { parameters: infer All }
  ? { [In in 'path' | 'query' as In extends keyof All ? In : never]?: In extends keyof All ? All[In] : never }
  : never;
type Answer<P extends Readable> = NonNullable<
  FetchResponse<
    Extract<paths[P]['get'], Record<string | number, unknown>>,
    object,
    'application/json'
  >['data']
>;

/** A call as a query's meta says it: the server answers it before it draws a page that asks. */
export type Call = {
  get: string;
  params: { path?: Record<string, unknown>; query?: Record<string, unknown> };
  /** The page that a list which grows begins with. */
  page?: number;
  /** The page's subject: without its answer the page is a 404. */
  subject?: true;
  /** The head of the page needs its answer. */
  forHead?: true;
};

const call = <P extends Readable>(path: P, params: Params<P>, signal: AbortSignal): Promise<Answer<P>> =>
  answer(api.GET(path as never, { signal, params } as never) as never);

/** The query function of a call; its meta names the call, so that the server can answer it while rendering. */
export const reading = <P extends Readable>(path: P, params: Params<P> = {} as Params<P>) => ({
  queryFn: ({ signal }: { signal: AbortSignal }) => call(path, params, signal),
  meta: { get: path, params } as Call,
});

/** The same for a list that grows, by the number of a page. */
export const readingPages = <P extends Readable>(
  path: P,
  paramsOf: (page: number) => Params<P>,
  firstPage: number,
) => ({
  queryFn: ({ signal, pageParam }: { signal: AbortSignal; pageParam: number }) =>
    call(path, paramsOf(pageParam), signal),
  initialPageParam: firstPage,
  meta: { get: path, params: paramsOf(firstPage), page: firstPage } as Call,
});
