/** Where a tab keeps the order that it has left to pay for. */
const storageKey = 'dala.unpaid';

/** The order whose payment is open: shoppers who come back from the bank without paying continue with it. */
export type UnpaidOrder = { id: string; number: number };

export const unpaidOrder = {
  /** Undefined when the last order was paid, or there is none. */
  get(): UnpaidOrder | undefined {
    try {
      const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
      if (typeof stored !== 'object' || stored === null) return undefined;
      const { id, number } = stored as Record<string, unknown>;
      return typeof id === 'string' && typeof number === 'number' ? { id, number } : undefined;
    } catch {
      return undefined;
    }
  },
  remember({ id, number }: UnpaidOrder): void {
    try {
      sessionStorage.setItem(storageKey, JSON.stringify({ id, number }));
    } catch {
      // Without storage the way back is the letter's link.
    }
  },
  forget(): void {
    try {
      sessionStorage.removeItem(storageKey);
    } catch {
      // Nothing was stored.
    }
  },
};
