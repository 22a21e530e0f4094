import { Problem } from '../../kit/api/problem';

/** An answer in lines: which share of the work is done, from 0 to 1, and as the last one the answer itself or what went wrong. */
export async function told<T extends object>(
  call: Promise<{ data?: ReadableStream<Uint8Array> | null; error?: unknown; response: Response }>,
  hear: (share: number) => void,
): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || !data) throw new Problem(response.status, error);
  let line: string[] = [];
  const text = new TextDecoder();
  const reader = data.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const [end = '', ...lines] = text.decode(read.value, { stream: true }).split('\n');
    line.push(end);
    for (const next of lines) {
      hear((JSON.parse(line.join('')) as { share: number }).share);
      line = [next];
    }
  }
  const said = JSON.parse(line.join('')) as T | { detail: string };
  if ('detail' in said) throw new Problem(500, said);
  return said;
}
