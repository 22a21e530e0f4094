import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, useDeferredValue, useState } from 'react';
import { isRecord, Problem } from '../../../kit/api/problem';
import f from '../../parts/field.module.css';
import { money } from '../../parts/format';
import { Action, Section } from '../../parts/parts';
import { goods } from '../api/goods';
import type { Draft, Line } from './draft';
import s from './phone.module.css';
import { phoneTexts as w } from './texts/ru';

/** What is wrong with each line, as the price's refusal says it. */
function wrongLines(problem: unknown): string[] {
  const body = problem instanceof Problem && isRecord(problem.body) ? problem.body.products : undefined;
  if (!Array.isArray(body)) return [];
  return body.map((line) => (isRecord(line) && Array.isArray(line.product) ? String(line.product[0]) : ''));
}

/** The goods of the order: found by name, or by an article that is typed or scanned and ended with Enter. */
export function Goods({
  draft,
  change,
  problem,
}: {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  problem: unknown;
}) {
  const client = useQueryClient();
  const [query, setQuery] = useState('');
  const [said, setSaid] = useState('');
  const found = useQuery(goods(useDeferredValue(query.trim())));
  const wrong = wrongLines(problem);
  const add = ({ id, article, name }: Omit<Line, 'amount'>) => {
    const known = draft.lines.some((line) => line.id === id);
    change({
      lines: known
        ? draft.lines.map((line) => (line.id === id ? { ...line, amount: line.amount + 1 } : line))
        : [...draft.lines, { id, article, name, amount: 1 }],
    });
    setQuery('');
    setSaid(w.added(name));
  };
  // A scanner types the article and Enter faster than any list comes.
  const scan = async (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    const article = query.trim();
    if (!article) return;
    try {
      const { results } = await client.fetchQuery(goods(article));
      const exact = results.find((one) => one.article.toLowerCase() === article.toLowerCase());
      const only = results.length === 1 ? results[0] : undefined;
      const one = exact ?? only;
      if (one) add({ id: one.id, article: one.article, name: one.name });
      else setSaid(results.length === 0 ? w.unknownArticle(article) : w.choose);
    } catch {
      setSaid(w.unknownArticle(article));
    }
  };
  const amount = (id: string, typed: string) => {
    const wanted = Math.min(99, Math.max(1, Math.floor(Number(typed)) || 1));
    change({ lines: draft.lines.map((line) => (line.id === id ? { ...line, amount: wanted } : line)) });
  };
  return (
    <Section title={w.goods}>
      <label className={f.field}>
        {w.search}
        <input
          type="search"
          value={query}
          autoComplete="off"
          onChange={({ target }) => setQuery(target.value)}
          onKeyDown={scan}
        />
      </label>
      <p role="status" className={s.quiet}>
        {said}
      </p>
      {query.trim().length > 1 ? (
        <ul className={s.found} aria-label={w.foundGoods}>
          {found.data?.results.map((one) => (
            <li key={one.id}>
              <span>
                {one.name} <small>{one.article}</small> {money(one.discounted_price)},{' '}
                {one.amount > 0 ? w.left(one.amount) : w.soldOut}
              </span>
              <Action
                aria-label={w.addOf(one.name)}
                aria-disabled={one.amount <= 0}
                onClick={() => one.amount > 0 && add(one)}
              >
                {w.add}
              </Action>
            </li>
          ))}
        </ul>
      ) : null}
      <ul className={s.found} aria-label={w.lines}>
        {draft.lines.map((line, at) => (
          <li key={line.id}>
            <span>
              {line.name} <small>{line.article}</small>
              <span className={s.failed} role="alert" lang="ru">
                {wrong[at]}
              </span>
            </span>
            <span className={s.amount}>
              <input
                type="number"
                min={1}
                max={99}
                value={line.amount}
                aria-label={w.amountOf(line.name)}
                onChange={({ target }) => amount(line.id, target.value)}
              />
              <Action
                kind="danger"
                aria-label={w.removeOf(line.name)}
                onClick={() => change({ lines: draft.lines.filter(({ id }) => id !== line.id) })}
              >
                {w.remove}
              </Action>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
