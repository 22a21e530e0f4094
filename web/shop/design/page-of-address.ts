const last = 10_000;

/** The page of a list that an address asks for: 1 unless it says a later one. */
export function pageOfAddress(search: string): number {
  const asked = new URLSearchParams(search).get('page') ?? '';
  const page = /^\d+$/.test(asked) ? Number(asked) : 1;
  return page >= 1 && page <= last ? page : 1;
}
