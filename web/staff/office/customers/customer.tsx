import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import { useMay } from '../../me';
import { Email } from '../../parts/email';
import f from '../../parts/field.module.css';
import { count, money, signed } from '../../parts/format';
import {
  Action,
  Confirm,
  Fact,
  Facts,
  Head,
  Loaded,
  Loading,
  Moment,
  Nothing,
  Section,
} from '../../parts/parts';
import { AsOf, Now, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Status } from '../orders/status';
import { Adjust } from './adjust';
import { Erasure } from './erasure';
import { Groups } from './groups';
import { type CustomerSheet, customerQueries, endSessions, type LedgerEntry, noteCustomer } from './queries';
import { customerTexts as w } from './texts/ru';

/** Everything about a customer on one page. */
export function CustomerPage() {
  const { id = '' } = useParams();
  const at = useAt();
  const found = useQuery(customerQueries.one(id, at));
  if (found.error instanceof Problem && found.error.status === 404)
    return (
      <>
        <Head title={w.customer} />
        <AsOf />
        <Nothing title={w.noSuch}>{w.noSuchWhy}</Nothing>
      </>
    );
  return (
    <Loaded query={found} what={w.customer} loading={<Loading rows={5} height={120} />}>
      {(sheet) => <Sheet sheet={sheet} />}
    </Loaded>
  );
}

function Sheet({ sheet }: { sheet: CustomerSheet }) {
  const { account, orders, spent, latest, bonus, ledger, reviews, waits, consents, sessions } = sheet;
  const mayChange = useMay('customers.change');
  const name = `${account.first_name} ${account.last_name}`.trim() || w.erased;
  const then = useThen();
  const past = useAt() !== '';
  const open = account.state === 'active' && !past;
  return (
    <>
      <Head title={name} lead={w.states[account.state]}>
        <Link className={t.link} to={then('/admin/customers')}>
          {w.list}
        </Link>
      </Head>
      <AsOf />
      <Section title={w.contact}>
        <Facts>
          <Fact label={w.phone}>
            {account.phone ? <a href={`tel:${account.phone}`}>{account.phone}</a> : '—'}
          </Fact>
          <Fact label={w.email}>
            {account.email ? <Email of={account.email} /> : '—'}{' '}
            {account.email && !account.verified ? w.unproved : ''}
          </Fact>
          <Fact label={w.address}>
            {[account.city, account.street, account.house, account.apartment].filter(Boolean).join(', ') ||
              '—'}
          </Fact>
          <Fact label={w.since}>
            <Moment at={account.created_at} />
          </Fact>
          <Now>
            <Fact label={w.sessions}>
              {count(sessions)} {mayChange && open && sessions > 0 ? <EndSessions id={account.id} /> : null}
            </Fact>
          </Now>
        </Facts>
      </Section>
      <Section title={w.orders}>
        <p className={d.count}>{w.bought(orders, money(spent))}</p>
        <Table
          caption={w.orders}
          columns={orderColumns(then)}
          rows={latest}
          rowKey={({ number }) => number}
          empty={<Nothing title={w.noOrders} />}
          cards
        />
      </Section>
      <Section title={w.bonuses} aside={mayChange && open ? <Adjust id={account.id} /> : null}>
        <p className={d.count}>{w.balance(money(bonus))}</p>
        <Table
          caption={w.bonuses}
          columns={ledgerColumns(then)}
          rows={ledger}
          rowKey={(_, at) => at}
          empty={<Nothing title={w.noEntries} />}
          cards
        />
      </Section>
      <Groups id={account.id} groups={account.groups} open={open && mayChange} />
      <Notes sheet={sheet} open={open} />
      {reviews.length > 0 ? (
        <Section title={w.reviews}>
          <ul className={d.list}>
            {reviews.map(({ id, rating, content, product, created_at }) => (
              <li key={id}>
                <b>{w.stars(rating)}</b> {product} · <Moment at={created_at} />
                <p className={d.text}>{content}</p>
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      {waits.length > 0 ? (
        <Section title={w.waits}>
          <ul className={d.list}>
            {waits.map(({ product_id, product, article, since }) => (
              <li key={product_id}>
                {product} ({article}) · <Moment at={since} />
              </li>
            ))}
          </ul>
        </Section>
      ) : null}
      <Section title={w.consents}>
        <ul className={d.list}>
          {consents.map(({ text, given, at }) => (
            <li key={at + String(given)}>
              {given ? w.given(text) : w.taken(text)} · <Moment at={at} />
            </li>
          ))}
        </ul>
      </Section>
      <Now>
        <Erasure sheet={sheet} />
      </Now>
    </>
  );
}

function EndSessions({ id }: { id: string }) {
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Action kind="plain" onClick={() => setAsking(true)}>
        {w.endSessions}
      </Action>
      {asking ? (
        <Confirm
          title={w.endTitle}
          button={w.endSessions}
          act={async () => {
            await endSessions(id);
            await client.invalidateQueries({ queryKey: ['persons', 'customer', id] });
          }}
          close={() => setAsking(false)}
        >
          <p>{w.endWhy}</p>
        </Confirm>
      ) : null}
    </>
  );
}

function Notes({ sheet: { account, notes }, open }: { sheet: CustomerSheet; open: boolean }) {
  const client = useQueryClient();
  const [failed, setFailed] = useState('');
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = String(new FormData(form).get('note') ?? '').trim();
    setFailed('');
    if (!text) return;
    try {
      await noteCustomer(account.id, text);
      await client.invalidateQueries({ queryKey: ['persons', 'customer', account.id] });
      form.reset();
    } catch (error) {
      setFailed(words(error));
    }
  };
  return (
    <Section title={w.notes}>
      {notes.length === 0 ? <p className={d.quiet}>{w.noNotes}</p> : null}
      <ul className={d.list}>
        {notes.map(({ text, actor, at }) => (
          <li key={at + text}>
            <p className={d.text}>{text}</p>
            <p className={d.quiet}>
              {actor} · <Moment at={at} />
            </p>
          </li>
        ))}
      </ul>
      {open ? (
        <form className={d.form} onSubmit={add}>
          <label className={f.field}>
            {w.newNote}
            <textarea name="note" rows={3} maxLength={2000} />
          </label>
          <p role="alert" className={d.failed}>
            {failed}
          </p>
          <div>
            <Action type="submit">{w.add}</Action>
          </div>
        </form>
      ) : null}
    </Section>
  );
}

const orderColumns = (then: Then): Column<CustomerSheet['latest'][number]>[] => [
  {
    key: 'number',
    title: w.order,
    head: true,
    cell: ({ number }) => (
      <Link className={t.link} to={then(`/admin/orders/${number}`)}>
        {number}
      </Link>
    ),
  },
  { key: 'status', title: w.status, cell: ({ status }) => <Status status={status} /> },
  { key: 'sum', title: w.sum, number: true, cell: ({ total_paid }) => money(total_paid) },
  { key: 'at', title: w.when, cell: ({ created_at }) => <Moment at={created_at} /> },
];

const ledgerColumns = (then: Then): Column<LedgerEntry>[] => [
  {
    key: 'kind',
    title: w.entry,
    head: true,
    cell: ({ kind, number, reason, actor }) => (
      <>
        {w.kinds[kind]}
        {number ? (
          <>
            {' '}
            <Link className={t.link} to={then(`/admin/orders/${number}`)}>
              {number}
            </Link>
          </>
        ) : null}
        {reason || actor ? (
          <span className={t.sub}>{[reason, actor].filter(Boolean).join(' · ')}</span>
        ) : null}
      </>
    ),
  },
  { key: 'amount', title: w.amount, number: true, cell: ({ amount }) => signed(amount) },
  { key: 'left', title: w.left, number: true, cell: ({ balance }) => money(balance) },
  { key: 'at', title: w.when, cell: ({ at }) => <Moment at={at} /> },
];
