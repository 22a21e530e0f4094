export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isMessages = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every((message) => typeof message === 'string');

/** Field by field; a name of the form itself counts before the same one of an object within it. */
function fieldsOf(body: Record<string, unknown>): Record<string, string> {
  const found: Record<string, string> = {};
  const said = Object.entries(body);
  for (const [, within] of said) if (isRecord(within)) Object.assign(found, fieldsOf(within));
  for (const [field, messages] of said) if (isMessages(messages)) found[field] = messages[0] as string;
  return found;
}

/** An answer that is not a success, with what the server said. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super(isRecord(body) && typeof body.detail === 'string' ? body.detail : `HTTP ${status}`);
    this.name = 'Problem';
  }

  /** The server's one sentence; undefined when it spoke of fields or said nothing. */
  get detail(): string | undefined {
    return isRecord(this.body) && typeof this.body.detail === 'string' ? this.body.detail : undefined;
  }

  /** The first message for every field that was refused, also for those of an object within the form. */
  get fields(): Record<string, string> {
    return isRecord(this.body) ? fieldsOf(this.body) : {};
  }
}

/** Whether asking again may help: the network or the server failed, not the question. */
export const isTransient = (error: unknown): boolean => !(error instanceof Problem) || error.status >= 500;
