import { keepPreviousData, queryOptions, useQueries, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { answer } from '../../../kit/api/answer';
import { isTransient, Problem } from '../../../kit/api/problem';
import { api } from '../../api/client';
import { type LineError, linesOf } from '../../api/problem-lines';
import type { CalculateRequest, Calculation } from '../../api/types';
import { useDebounced } from '../../design/use-debounced';
import { failureTexts } from '../../texts/design';
import { productTexts } from '../../texts/product';
import { type BasketLine, basket, useBasket } from './basket-store';

export const basketQueries = {
  all: () => ['basket'] as const,
  /** What the basket costs, as the server explains it. */
  price: (question: CalculateRequest) =>
    queryOptions({
      queryKey: [...basketQueries.all(), 'price', question],
      queryFn: ({ signal }) => answer(api.POST('/api/orders/calculate-price/', { signal, body: question })),
      // Prices change, so every page that shows one fetches it anew.
      staleTime: 0,
      gcTime: 60_000,
      placeholderData: keepPreviousData,
      retry: (failures, error) => failures < 2 && isTransient(error),
    }),
  /** The product of a line as it is now. */
  line: (id: string) =>
    queryOptions({
      queryKey: [...basketQueries.all(), 'line', id],
      queryFn: ({ signal }) => answer(api.GET('/api/products/{id}/', { signal, params: { path: { id } } })),
      staleTime: 0,
    }),
};

/** What the price depends on beside the lines. */
export type PriceTerms = Pick<
  CalculateRequest,
  'city' | 'promocode' | 'delivery_type' | 'payment_method' | 'spend_bonus'
>;

/** A line that the server took out of the basket, and why. */
export type Dropped = Pick<BasketLine, 'id' | 'name' | 'russian'> & { reason: string };

export const asRequestLines = (lines: readonly BasketLine[]): CalculateRequest['products'] =>
  lines.map((line) => ({ product: line.id, amount: line.count }));

/**
 * Does what a refusal by line asks for: goods that are gone leave the basket, goods that are short lose pieces and
 * keep the reason, other reasons stay on their line. The answer names what left.
 */
export function applyLineErrors(asked: CalculateRequest['products'], errors: LineError[]): Dropped[] {
  const dropped: Dropped[] = [];
  errors.forEach((error, at) => {
    const request = asked[at];
    const line = basket.lines().find((candidate) => candidate.id === request?.product);
    if (!request || !line) return;
    if ('product' in error) {
      const reason = error.product[0] ?? productTexts.unavailable;
      if (error.amount) basket.limit(line.id, request.amount, error.amount, reason);
      else {
        basket.remove(line.id);
        dropped.push({ id: line.id, name: line.name, russian: line.russian, reason });
      }
    } else if ('amount' in error) basket.refuse(line.id, error.amount[0] ?? failureTexts.broken);
  });
  return dropped;
}

export type PricedBasket = {
  lines: readonly BasketLine[];
  /** Undefined until the first answer. */
  calculation: Calculation | undefined;
  /** The calculation shown is not yet that of the basket as it stands. */
  pending: boolean;
  /** The pricing failed for a reason that is not a line's. */
  failed: boolean;
  dropped: Dropped[];
  retry: () => void;
  /** Puts a calculation that came with another answer in the place of the present one. */
  accept: (calculation: Calculation) => void;
  /** Applies the errors of a refused order to the basket. */
  refuse: (errors: LineError[]) => void;
};

const settle = 300;

/**
 * The basket with its price. A change is priced when it has stood still for a moment; a question that is no longer
 * the present one is given up.
 */
export function usePricedBasket(terms: PriceTerms = {}): PricedBasket {
  const lines = useBasket();
  useFreshLines(lines);
  const client = useQueryClient();
  const [dropped, setDropped] = useState<Dropped[]>([]);
  const products = JSON.stringify(asRequestLines(lines));
  const settled = useDebounced(products, settle);
  const { city, promocode, delivery_type, payment_method, spend_bonus } = terms;
  const question = useMemo<CalculateRequest>(
    () => ({
      products: JSON.parse(settled) as CalculateRequest['products'],
      ...(city ? { city } : {}),
      ...(promocode ? { promocode } : {}),
      ...(delivery_type ? { delivery_type } : {}),
      ...(payment_method ? { payment_method } : {}),
      ...(spend_bonus ? { spend_bonus } : {}),
    }),
    [settled, city, promocode, delivery_type, payment_method, spend_bonus],
  );
  const price = useQuery({
    ...basketQueries.price(question),
    enabled: question.products.length > 0 && lines.length > 0,
  });
  // A refused pricing has no calculation. The last one stays visible, so that nothing jumps.
  const [last, setLast] = useState<Calculation>();
  if (price.data && price.data !== last) setLast(price.data);
  const refused = price.error instanceof Problem ? linesOf(price.error) : undefined;

  useEffect(() => {
    if (!refused) return;
    const gone = applyLineErrors(question.products, refused);
    if (gone.length > 0) setDropped((before) => [...before, ...gone]);
  }, [refused, question]);

  return {
    lines,
    calculation: lines.length > 0 ? (price.data ?? last) : undefined,
    // Offline the pricing waits, so the last price does not answer it.
    pending: price.fetchStatus !== 'idle' || settled !== products,
    failed: price.isError && !refused,
    dropped,
    retry: () => void price.refetch(),
    accept: (calculation) => client.setQueryData(basketQueries.price(question).queryKey, calculation),
    refuse: (errors) => {
      const gone = applyLineErrors(question.products, errors);
      if (gone.length > 0) setDropped((before) => [...before, ...gone]);
    },
  };
}

/** Brings names, prices and stock of the lines up to date whenever a page that shows them opens. */
function useFreshLines(lines: readonly BasketLine[]): void {
  const fresh = useQueries({ queries: lines.map((line) => basketQueries.line(line.id)) });
  const products = fresh.flatMap(({ data }) => (data ? [data] : []));
  const seen = products.map(({ id, price, discounted_price, amount }) =>
    [id, price, discounted_price, amount].join(),
  );
  const key = seen.join(';');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what matters in the products
  useEffect(() => {
    for (const product of products) basket.refresh(product);
  }, [key]);
}
