import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { Email } from '../../parts/email';
import f from '../../parts/field.module.css';
import { count, money } from '../../parts/format';
import { Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import { AsOf, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Find } from '../desk/find';
import { Pages } from '../desk/pages';
import { type CustomerRow, type CustomerState, customerQueries } from './queries';
import { customerTexts as w } from './texts/ru';

const states: CustomerState[] = ['', 'active', 'proposed', 'leaving', 'erased'];

/** Every customer with an account. Who is searched for stands in no address. */
export function Customers() {
  const { value, narrow, offset, turn } = useFilters();
  const at = useAt();
  const then = useThen();
  const [query, setQuery] = useState('');
  const state = states.find((one) => one === value('state')) ?? '';
  const groups = useQuery(customerQueries.groups(at));
  const found = useQuery(customerQueries.list(query, state, value('group'), offset, at));
  return (
    <>
      <Head title={w.title} lead={w.lead} />
      <AsOf />
      <search>
        <Find
          label={w.query}
          button={w.find}
          longest={200}
          find={(typed) => {
            narrow('offset', '');
            setQuery(typed);
          }}
        />
        {at ? <p className={d.quiet}>{w.searchedNow}</p> : null}
        <div className={d.filters}>
          <label className={f.field}>
            {w.state}
            <select value={state} onChange={({ target }) => narrow('state', target.value)}>
              {states.map((one) => (
                <option key={one} value={one}>
                  {w.states[one || 'any']}
                </option>
              ))}
            </select>
          </label>
          {groups.data?.results.length ? (
            <label className={f.field}>
              {w.group}
              <select value={value('group')} onChange={({ target }) => narrow('group', target.value)}>
                <option value="">{w.states.any}</option>
                {groups.data.results.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          ) : null}
        </div>
      </search>
      <Loaded query={found} what={w.what} loading={<Loading rows={8} height={64} />}>
        {({ count: all, more, results }) => (
          <>
            <p className={d.count} role="status">
              {w.found(all, more)}
            </p>
            <Table
              caption={w.title}
              columns={columns(then)}
              rows={results}
              rowKey={({ id }) => id}
              empty={<Nothing title={w.none}>{w.noneWhy}</Nothing>}
              cards
            />
            <Pages label={w.title} offset={offset} shown={results.length} all={all} turn={turn} />
          </>
        )}
      </Loaded>
    </>
  );
}

const columns = (then: Then): Column<CustomerRow>[] => [
  {
    key: 'name',
    title: w.name,
    head: true,
    cell: ({ id, name }) => (
      <Link className={t.link} to={then(`/admin/customers/${id}`)}>
        {name || w.erased}
      </Link>
    ),
  },
  {
    key: 'contact',
    title: w.contact,
    cell: ({ phone, email }) => (
      <div className={d.id}>
        {phone || '—'}
        <span className={t.sub}>
          <Email of={email} />
        </span>
      </div>
    ),
  },
  { key: 'city', title: w.city, cell: ({ city }) => city || '—' },
  {
    key: 'state',
    title: w.state,
    cell: ({ state, erasure_proposed_at }) => (
      <div>
        {w.states[state]}
        {erasure_proposed_at ? <span className={t.sub}>{w.states.proposed}</span> : null}
      </div>
    ),
  },
  {
    key: 'orders',
    title: w.orders,
    number: true,
    cell: ({ orders, spent }) => (
      <div>
        {count(orders)}
        <span className={t.sub}>{money(spent)}</span>
      </div>
    ),
  },
  { key: 'since', title: w.since, cell: ({ created_at }) => <Moment at={created_at} /> },
];
