import { useEffect, useState } from 'react';

/** A product of the order that is being taken. */
export type Line = { id: string; article: string; name: string; amount: number };

/** The order as far as it was taken. Everything in it is as it was typed. */
export type Draft = {
  lines: Line[];
  first: string;
  last: string;
  email: string;
  phone: string;
  delivery: 'DELIVERY' | 'PICKUP';
  city: string;
  street: string;
  house: string;
  apartment: string;
  comment: string;
  payment: 'CARD' | 'KASPI_BILL' | 'CASH';
  promocode: string;
  percent: string;
  reason: string;
  consent: boolean;
  /** Makes the order unrepeatable, however often it is sent. */
  key: string;
};

const empty = (): Draft => ({
  lines: [],
  first: '',
  last: '',
  email: '',
  phone: '',
  delivery: 'DELIVERY',
  city: 'Алматы',
  street: '',
  house: '',
  apartment: '',
  comment: '',
  payment: 'CASH',
  promocode: '',
  percent: '',
  reason: '',
  consent: false,
  key: crypto.randomUUID(),
});

const place = (account: string) => `dala.phone-order.${account}`;

function kept(account: string): Draft {
  try {
    return { ...empty(), ...(JSON.parse(sessionStorage.getItem(place(account)) ?? '{}') as Partial<Draft>) };
  } catch {
    return empty();
  }
}

/**
 * The draft of whoever is signed in. It stays in this tab until it is closed: a person's data shall not lie about in the
 * browser for longer. What changes after an order was sent makes it another order, so it gets another key.
 */
export function useDraft(account: string) {
  const [draft, setDraft] = useState(() => kept(account));
  useEffect(() => {
    try {
      sessionStorage.setItem(place(account), JSON.stringify(draft));
    } catch {
      // Storage may be closed to us; the draft then lasts as long as the page.
    }
  }, [account, draft]);
  return {
    draft,
    change: (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part, key: crypto.randomUUID() })),
    clear: () => setDraft(empty()),
  };
}
