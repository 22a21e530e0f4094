import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import { count } from '../../parts/format';
import { Action, Head, Loaded, Loading, MaskedNote, Moment, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import d from '../desk/desk.module.css';
import { Pages } from '../desk/pages';
import { sentLetterTexts } from '../texts/ru';
import { type DeadMail, deadMail, sendAgain } from './queries';
import { deadMailTexts as w } from './texts/ru';

/** Letters that could not be sent: to whom, about what, since when, why. */
export function Letters() {
  const { offset, turn } = useFilters();
  const [told, setTold] = useState('');
  const found = useQuery(deadMail(offset));
  return (
    <>
      <Head title={w.title} lead={w.lead} />
      <p className={d.told} role="status">
        {told}
      </p>
      <Loaded query={found} what={w.what} loading={<Loading rows={6} height={64} />}>
        {({ results, count: all }) => (
          <>
            <Table
              caption={w.title}
              columns={columns(setTold)}
              rows={results}
              rowKey={({ id }) => id}
              empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
              cards
            />
            <MaskedNote value={results} />
            <Pages label={w.title} offset={offset} shown={results.length} all={all} turn={turn} />
          </>
        )}
      </Loaded>
    </>
  );
}

const nameOf = (kind: string): string =>
  ({ ...sentLetterTexts.kinds, ...w.kinds })[kind as keyof typeof w.kinds] ?? kind;

const columns = (tell: (what: string) => void): Column<DeadMail>[] => [
  {
    key: 'letter',
    title: w.letter,
    head: true,
    cell: ({ kind, number }) => (
      <>
        {nameOf(kind)}
        {number === null ? null : (
          <span className={t.sub}>
            <Link className={t.link} to={`/admin/orders/${number}`}>
              {w.order(number)}
            </Link>
          </span>
        )}
      </>
    ),
  },
  {
    key: 'who',
    title: w.who,
    cell: ({ name, email }) => (
      <div className={d.id}>
        {name || '—'}
        <span className={t.sub}>{email}</span>
      </div>
    ),
  },
  { key: 'since', title: w.since, cell: ({ since }) => <Moment at={since} /> },
  {
    key: 'error',
    title: w.error,
    cell: ({ error, attempts }) => (
      <div className={d.id}>
        {error || '—'}
        <span className={t.sub}>
          {w.attempts}: {count(attempts)}
        </span>
      </div>
    ),
  },
  { key: 'actions', title: w.actions, actions: true, cell: (row) => <Again row={row} tell={tell} /> },
];

function Again({ row, tell }: { row: DeadMail; tell: (what: string) => void }) {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const name = row.number === null ? nameOf(row.kind) : `${nameOf(row.kind)}, ${w.order(row.number)}`;
  const send = async () => {
    setBusy(true);
    try {
      await sendAgain(row.id);
      tell(w.sent(name));
      await Promise.all([
        client.invalidateQueries({ queryKey: ['office'] }),
        client.invalidateQueries({ queryKey: ['persons', 'letters'] }),
      ]);
    } catch (error) {
      tell(`${name}: ${words(error)}`);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className={d.actions}>
      <Action aria-disabled={busy} aria-label={`${w.again}: ${name}`} onClick={() => busy || send()}>
        {w.again}
      </Action>
    </div>
  );
}
