import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link } from '../../../kit/design/link';
import x from '../../../kit/design/text.module.css';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import { useMay, useMe } from '../../me';
import f from '../../parts/field.module.css';
import { count, signed } from '../../parts/format';
import { Action, Head, Loaded, Loading, Moment, Nothing, Section } from '../../parts/parts';
import { useFilters } from '../desk/address';
import { AsOf, useAt } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Camera } from '../parcels/camera';
import { propose } from '../products/changes';
import type { ProductRow } from '../products/queries';
import { counted, differences, type Line, type Mode, useLines } from './lines';
import { type Ledger, productOf, receive, stockQueries } from './queries';
import { stockTexts as w } from './texts/ru';

/** Goods that come in, goods that are counted, and why there are so many of one. */
export function StockDesk() {
  const { value, narrow } = useFilters();
  const mode: Mode = value('mode') === 'count' ? 'count' : 'receive';
  return (
    <>
      <Head title={w.title} lead={mode === 'count' ? w.countLead : w.receiveLead} />
      <ul className={d.tabs}>
        {(['receive', 'count'] as const).map((one) => (
          <li key={one}>
            <Link
              to={one === 'count' ? '/admin/stock?mode=count' : '/admin/stock'}
              aria-current={one === mode ? 'page' : undefined}
            >
              {w.modes[one]}
            </Link>
          </li>
        ))}
        <li>
          <Link to="/admin/products?stock=low&sort=available">{w.low}</Link>
        </li>
        <li>
          <Link to="/admin/products?stock=none&state=active">{w.soldOut}</Link>
        </li>
        <li>
          <Link to="/admin/waiting">{w.awaited}</Link>
        </li>
      </ul>
      <Scanned key={mode} mode={mode} show={(id) => narrow('product', id)} />
      {value('product') ? <Movements key={value('product')} product={value('product')} /> : null}
    </>
  );
}

type Said = { kind: 'right' | 'wrong'; text: string };

function Scanned({ mode, show }: { mode: Mode; show: (product: string) => void }) {
  const me = useMe();
  const may = useMay('stock.change');
  const client = useQueryClient();
  const { lines, note, key, change, scan, clear } = useLines(me.id, mode);
  const [typed, setTyped] = useState('');
  const [said, setSaid] = useState<Said>();
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const take = async (code: string) => {
    setTyped('');
    field.current?.focus();
    if (!code.trim()) return;
    try {
      const row = await productOf(code.trim());
      if (row) scan(row);
      setSaid(
        row
          ? { kind: 'right', text: `${row.article} ${row.name}` }
          : { kind: 'wrong', text: w.unknown(code) },
      );
    } catch (error) {
      setSaid({ kind: 'wrong', text: words(error) });
    }
  };
  const different = differences(lines);
  const wrong = lines.some(
    ({ quantity }) => !Number.isInteger(quantity) || quantity < (mode === 'receive' ? 1 : 0),
  );
  const send = async () => {
    setBusy(true);
    try {
      const made =
        mode === 'receive'
          ? await receive(key, w.receiptTitle(count(lines.length)), note, lines)
          : different.length > 0
            ? await record(note, different)
            : undefined;
      const done = mode === 'receive' ? w.received(count(lines.length)) : w.recorded(count(different.length));
      setSaid({ kind: 'right', text: made?.status === 'waiting' ? w.waits : done });
      clear();
      await client.invalidateQueries({ queryKey: ['office'] });
    } catch (error) {
      setSaid({ kind: 'wrong', text: words(error) });
    } finally {
      setBusy(false);
    }
  };
  if (!may) return <Nothing title={w.mayNot} />;
  return (
    <>
      <form
        className={d.find}
        onSubmit={(event) => {
          event.preventDefault();
          void take(typed);
        }}
      >
        <label className={f.field}>
          {w.scan}
          <input
            ref={field}
            value={typed}
            autoComplete="off"
            maxLength={100}
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
        <Action type="submit" kind="strong">
          {w.add}
        </Action>
      </form>
      <Camera take={(code) => void take(code)} />
      <p role="status" className={said?.kind === 'wrong' ? d.failed : d.count}>
        {said?.text}
      </p>
      <Table
        caption={w.modes[mode]}
        columns={columns(mode, show, (id, quantity) => change({ lines: counted(lines, id, quantity) }))}
        rows={lines}
        rowKey={({ row }) => row.id}
        empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
        cards
      />
      {lines.length > 0 ? (
        <form
          className={d.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (!busy && !wrong) void send();
          }}
        >
          <label className={f.field}>
            {mode === 'receive' ? w.note : w.reason}
            <input value={note} maxLength={200} onChange={({ target }) => change({ note: target.value })} />
          </label>
          <p>
            {mode === 'receive'
              ? w.total(count(lines.length), count(lines.reduce((sum, { quantity }) => sum + quantity, 0)))
              : w.different(count(different.length))}
          </p>
          <div className={d.actions}>
            <Action type="submit" kind="strong" disabled={wrong} aria-disabled={busy}>
              {mode === 'receive' ? w.receive : w.record}
            </Action>
            <Action onClick={clear}>{w.clear}</Action>
          </div>
        </form>
      ) : null}
    </>
  );
}

/** A count is a change, which can be undone. A product that moved since it was counted is told. */
const record = (reason: string, lines: Line[]) =>
  propose({
    title: w.countTitle(count(lines.length)),
    reason,
    items: lines.map(({ row, quantity }) => ({
      thing: 'stock',
      id: row.id,
      field: 'on_hand',
      was: row.on_hand,
      now: quantity,
    })),
  });

const columns = (
  mode: Mode,
  show: (product: string) => void,
  set: (id: string, quantity: number | undefined) => void,
): Column<Line>[] => [
  {
    key: 'product',
    title: w.product,
    head: true,
    cell: ({ row }) => (
      <>
        {row.name}
        <span className={t.sub}>{[row.article, row.shelf].filter(Boolean).join(' · ')}</span>
      </>
    ),
  },
  {
    key: 'quantity',
    title: mode === 'receive' ? w.quantity : w.counted,
    number: true,
    cell: ({ row, quantity }) => (
      <label className={f.field}>
        <span className={x.hidden}>{w.quantityOf(row.article)}</span>
        <input
          type="number"
          inputMode="numeric"
          min={mode === 'receive' ? 1 : 0}
          max={1_000_000}
          value={Number.isNaN(quantity) ? '' : quantity}
          onChange={({ target }) => set(row.id, target.value === '' ? Number.NaN : Number(target.value))}
        />
      </label>
    ),
  },
  { key: 'onHand', title: w.onHand, number: true, cell: ({ row }) => count(row.on_hand) },
  mode === 'receive'
    ? {
        key: 'after',
        title: w.after,
        number: true,
        cell: ({ row, quantity }) => count(row.on_hand + (quantity || 0)),
      }
    : {
        key: 'difference',
        title: w.difference,
        number: true,
        cell: ({ row, quantity }) => signed((quantity || 0) - row.on_hand),
      },
  {
    key: 'actions',
    title: w.actions,
    actions: true,
    cell: ({ row }) => (
      <div className={d.actions}>
        <Action onClick={() => show(row.id)} aria-label={w.ledgerOf(row.article)}>
          {w.ledger}
        </Action>
        <Action onClick={() => set(row.id, undefined)} aria-label={w.removeOne(row.article)}>
          {w.remove}
        </Action>
      </div>
    ),
  },
];

function Movements({ product }: { product: ProductRow['id'] }) {
  const found = useQuery(stockQueries.ledger(product, useAt()));
  return (
    <Section title={w.ledger}>
      <AsOf />
      <Loaded query={found} what={w.ledger} loading={<Loading rows={4} height={44} />}>
        {({ entries, on_hand, reserved }: Ledger) => (
          <>
            <p className={d.count}>{w.balance(count(on_hand), count(reserved))}</p>
            <Table
              caption={w.ledger}
              columns={[
                {
                  key: 'at',
                  title: w.when,
                  head: true,
                  cell: ({ recorded_at }) => <Moment at={recorded_at} />,
                },
                {
                  key: 'kind',
                  title: w.kind,
                  cell: ({ kind }) => w.kinds[kind as keyof typeof w.kinds] ?? kind,
                },
                {
                  key: 'moved',
                  title: w.moved,
                  number: true,
                  cell: ({ on_hand: by }) => (by === 0 ? '' : signed(by)),
                },
                {
                  key: 'held',
                  title: w.held,
                  number: true,
                  cell: ({ reserved: by }) => (by === 0 ? '' : signed(by)),
                },
                {
                  key: 'after',
                  title: w.after,
                  number: true,
                  cell: ({ on_hand_after }) => count(on_hand_after),
                },
                {
                  key: 'cause',
                  title: w.cause,
                  cell: ({ cause, order_number, actor }) => (
                    <div className={d.id}>
                      {order_number ? (
                        <Link to={`/admin/orders/${order_number}`}>{order_number}</Link>
                      ) : (
                        cause.ref
                      )}
                      <span className={t.sub}>{actor}</span>
                    </div>
                  ),
                },
              ]}
              rows={entries}
              rowKey={({ position }) => position}
              cards
            />
          </>
        )}
      </Loaded>
    </Section>
  );
}
