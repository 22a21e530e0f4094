/** The page of a list that an address asks for: 1 unless it says a later one. */
export const pageOfAddress = (search: string): number =>
  Math.max(1, Math.min(10_000, Number.parseInt(new URLSearchParams(search).get('page') ?? '1', 10) || 1));
