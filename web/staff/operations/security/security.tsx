import { useInfiniteQuery } from '@tanstack/react-query';
import { type FormEvent, useMemo } from 'react';
import { useSearchParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import f from '../../parts/field.module.css';
import q from '../../parts/filters.module.css';
import { count } from '../../parts/format';
import { Action, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { queries, type SecurityFilters, securityFilters } from '../api/queries';
import type { SecurityRecord } from '../api/types';
import s from './security.module.css';
import { securityTexts as w } from './texts/ru';

type Narrow = (name: keyof SecurityFilters, value: string) => void;

const filtersOf = (address: URLSearchParams): SecurityFilters =>
  Object.fromEntries(
    securityFilters.map((name) => [name, address.get(name) ?? '']),
  ) as unknown as SecurityFilters;

const given = (filters: Partial<SecurityFilters>) =>
  new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ''));

/** The security log. What it is narrowed to stands in the address. */
export function Security() {
  const [address, setAddress] = useSearchParams();
  const key = address.toString();
  const filters = useMemo(() => filtersOf(new URLSearchParams(key)), [key]);
  const narrow: Narrow = (name, value) => setAddress(given({ ...filters, [name]: value }));
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        <a href={`/api/ops/security/file/?${given(filters)}`} download title={w.fileWhy}>
          {w.file}
        </a>
      </Head>
      <Filters key={key} filters={filters} narrowed={key !== ''} set={setAddress} />
      <Same filters={filters} narrow={narrow} />
      <Records filters={filters} narrowed={key !== ''} narrow={narrow} />
    </>
  );
}

function Filters({
  filters,
  narrowed,
  set,
}: {
  filters: SecurityFilters;
  narrowed: boolean;
  set: (next: URLSearchParams) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([name, value]) => [name, String(value).trim()]),
    );
    set(given({ ...filters, ...typed }));
  };
  const select = (name: 'kind' | 'outcome' | 'party', label: string, words: Record<string, string>) => (
    <label className={f.field}>
      {label}
      <select name={name} defaultValue={filters[name]}>
        <option value="">{w.any}</option>
        {Object.entries(words).map(([value, said]) => (
          <option key={value} value={value}>
            {said}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <form className={q.filters} onSubmit={submit} aria-label={w.filters} noValidate>
      {select('kind', w.kind, w.kinds)}
      {select('outcome', w.outcome, w.outcomes)}
      {select('party', w.party, w.parties)}
      <label className={f.field}>
        {w.who}
        <input
          name="who"
          defaultValue={filters.who}
          autoCapitalize="off"
          autoComplete="off"
          spellCheck={false}
        />
      </label>
      <label className={f.field}>
        {w.since}
        <input name="since" type="date" defaultValue={filters.since} />
      </label>
      <div className={q.apply}>
        <Action type="submit" kind="strong">
          {w.filter}
        </Action>
        {narrowed ? <Action onClick={() => set(new URLSearchParams())}>{w.showAll}</Action> : null}
      </div>
    </form>
  );
}

/** What the list is narrowed to by a record: its network or its e-mail. */
function Same({ filters, narrow }: { filters: SecurityFilters; narrow: Narrow }) {
  const same = (
    [
      ['network', w.sameNetworkOf],
      ['email', w.sameEmailOf],
    ] as const
  ).filter(([name]) => filters[name] !== '');
  return same.map(([name, said]) => (
    <p key={name} className={s.same} role="status">
      {said} {filters[name]}
      <Action kind="plain" onClick={() => narrow(name, '')}>
        {w.drop}
      </Action>
    </p>
  ));
}

function Records({
  filters,
  narrowed,
  narrow,
}: {
  filters: SecurityFilters;
  narrowed: boolean;
  narrow: Narrow;
}) {
  const found = useInfiniteQuery(queries.security(filters));
  const records = found.data?.pages.flatMap(({ records }) => records) ?? [];
  return (
    <Loaded query={found} what={w.what} loading={<Loading rows={10} height={46} />}>
      {() => (
        <div className={s.list}>
          <Table
            caption={w.title}
            columns={columns(narrow)}
            rows={records}
            rowKey={({ id }) => id}
            empty={
              <Nothing title={narrowed ? w.noneSuch : w.none}>{narrowed ? w.noneSuchWhy : w.noneWhy}</Nothing>
            }
            cards
          />
          {found.hasNextPage ? (
            <p className={s.more}>
              <Action onClick={() => found.fetchNextPage()} aria-disabled={found.isFetchingNextPage}>
                {found.isFetchingNextPage ? w.loading : w.older}
              </Action>
            </p>
          ) : null}
        </div>
      )}
    </Loaded>
  );
}

const columns = (narrow: Narrow): Column<SecurityRecord>[] => [
  { key: 'at', title: w.time, cell: ({ at }) => <Moment at={at} /> },
  { key: 'kind', title: w.kind, cell: ({ kind }) => w.kinds[kind] ?? kind },
  {
    key: 'outcome',
    title: w.outcome,
    cell: ({ outcome, how }) => (
      <div>
        {w.outcomes[outcome] ?? outcome}
        {how ? <span className={s.faint}> {how}</span> : null}
      </div>
    ),
  },
  {
    key: 'who',
    title: w.party,
    cell: ({ party, who, name, role }) => (
      <div>
        {w.parties[party] ?? party}{' '}
        {who ? <Pick said={name || who} label={w.onlyThis} pick={() => narrow('who', who)} /> : null}
        {role ? <span className={s.faint}> {role}</span> : null}
      </div>
    ),
  },
  {
    key: 'about',
    title: w.about,
    cell: ({ about }) =>
      about ? <Pick said={about} label={w.onlyThis} pick={() => narrow('who', about)} /> : '—',
  },
  {
    key: 'network',
    title: w.network,
    cell: ({ id, network }) =>
      network ? (
        <Pick said={network} label={w.sameNetwork} pick={() => narrow('network', String(id))} />
      ) : (
        '—'
      ),
  },
  {
    key: 'email',
    title: w.email,
    cell: ({ id, email }) =>
      email ? <Pick said={email} label={w.sameEmail} pick={() => narrow('email', String(id))} /> : '—',
  },
  { key: 'route', title: w.route, cell: ({ route }) => <span className={s.faint}>{route}</span> },
  { key: 'times', title: w.times, cell: ({ times }) => count(times), number: true },
];

/** A value that narrows the list to those that have the same. */
function Pick({ said, label, pick }: { said: string; label: string; pick: () => void }) {
  return (
    <button type="button" className={s.pick} title={label} aria-label={`${label}: ${said}`} onClick={pick}>
      {said}
    </button>
  );
}
