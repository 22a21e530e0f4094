import { type FormEvent, useState } from 'react';
import { Link } from '../../../kit/design/link';
import { csvOf } from '../../../kit/table/rows';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { count, money } from '../../parts/format';
import { Action, Fact, Facts, Head, Nothing, Section } from '../../parts/parts';
import { save } from '../../parts/save';
import d from '../desk/desk.module.css';
import { type BadRow, type MoneyDifference, type Reconciled, reconcile } from './queries';
import { paymentTexts as w } from './texts/ru';

/** Yesterday in Almaty, YYYY-MM-DD. */
const yesterday = () =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Almaty' }).format(Date.now() - 86_400_000);

/** The text of a file: UTF-8, or what spreadsheets in Russian write. */
async function textOf(file: File): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1251').decode(bytes);
  }
}

/** A day's money against a provider's statement. Nothing is written. */
export function Reconciliation() {
  const [found, setFound] = useState<Reconciled & { day: string }>();
  const [failed, setFailed] = useState('');
  const [busy, setBusy] = useState(false);
  const compare = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const file = form.get('file');
    const day = String(form.get('day'));
    setFailed('');
    setFound(undefined);
    if (!(file instanceof File) || file.size === 0) {
      setFailed(w.noFile);
      return;
    }
    if (file.size > 240_000) {
      setFailed(w.largeFile);
      return;
    }
    setBusy(true);
    try {
      setFound({ ...(await reconcile(day, await textOf(file))), day });
    } catch (error) {
      setFailed(words(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Head title={w.reconciliation} lead={w.reconciliationLead}>
        <Link className={t.link} to="/admin/payments">
          {w.toPayments}
        </Link>
      </Head>
      <form className={d.form} onSubmit={compare}>
        <label className={f.field}>
          {w.day}
          <input name="day" type="date" required defaultValue={yesterday()} />
        </label>
        <label className={f.field}>
          {w.file}
          <input name="file" type="file" accept=".csv,.txt,text/csv" aria-describedby="statement-hint" />
        </label>
        <p id="statement-hint" className={d.quiet}>
          {w.fileHint}
        </p>
        <p role="alert" className={d.failed}>
          {failed}
        </p>
        <Action type="submit" kind="strong" aria-disabled={busy}>
          {busy ? w.comparing : w.compare}
        </Action>
      </form>
      {found ? <Outcome found={found} /> : null}
    </>
  );
}

function Outcome({ found }: { found: Reconciled & { day: string } }) {
  const { differences, bad_rows, rows, same, same_sum, day } = found;
  return (
    <>
      <Section
        title={w.outcome}
        aside={
          differences.length > 0 ? (
            <Action
              onClick={() =>
                save(`differences-${day}.csv`, csvOf(differenceColumns(), differences), 'text/csv')
              }
            >
              {w.export}
            </Action>
          ) : null
        }
      >
        <Facts>
          <Fact label={w.rows}>{count(rows)}</Fact>
          <Fact label={w.same}>
            {count(same)} · {money(same_sum)}
          </Fact>
          <Fact label={w.differences}>{count(differences.length)}</Fact>
          <Fact label={w.badRows}>{count(bad_rows.length)}</Fact>
        </Facts>
        <Table
          caption={w.differences}
          columns={differenceColumns()}
          rows={differences}
          rowKey={(_, at) => at}
          empty={<Nothing title={w.noDifferences}>{w.noDifferencesWhy}</Nothing>}
          cards
        />
      </Section>
      {bad_rows.length > 0 ? (
        <Section title={w.badRows}>
          <Table
            caption={w.badRowsWhy}
            columns={badColumns()}
            rows={bad_rows}
            rowKey={({ row }) => row}
            cards
          />
        </Section>
      ) : null}
    </>
  );
}

const differenceColumns = (): Column<MoneyDifference>[] => [
  {
    key: 'side',
    title: w.what2,
    head: true,
    value: ({ side, kind }) => `${w.sides[side]}, ${w.kindsOfMoney[kind]}`,
    cell: ({ side, kind }) => (
      <>
        {w.sides[side]}
        <span className={t.sub}>{w.kindsOfMoney[kind]}</span>
      </>
    ),
  },
  {
    key: 'order',
    title: w.order,
    value: ({ number }) => number || '',
    cell: ({ number }) =>
      number ? (
        <Link className={t.link} to={`/admin/orders/${number}`}>
          {number}
        </Link>
      ) : (
        '—'
      ),
  },
  {
    key: 'payment',
    title: w.payment,
    value: ({ payment_id }) => payment_id,
    cell: ({ payment_id }) => <span className={d.id}>{payment_id || '—'}</span>,
  },
  {
    key: 'receipt',
    title: w.receipt,
    value: ({ receipt }) => receipt,
    cell: ({ receipt }) => receipt || '—',
  },
  { key: 'ours', title: w.ours, number: true, value: ({ ours }) => ours, cell: ({ ours }) => money(ours) },
  {
    key: 'theirs',
    title: w.theirs,
    number: true,
    value: ({ theirs }) => theirs,
    cell: ({ theirs }) => money(theirs),
  },
  {
    key: 'row',
    title: w.row,
    number: true,
    value: ({ row }) => row || '',
    cell: ({ row }) => (row ? count(row) : '—'),
  },
];

const badColumns = (): Column<BadRow>[] => [
  { key: 'row', title: w.row, head: true, cell: ({ row }) => count(row) },
  { key: 'column', title: w.column, cell: ({ column }) => column || '—' },
  { key: 'reason', title: w.why, cell: ({ reason }) => w.reasons[reason] },
];
