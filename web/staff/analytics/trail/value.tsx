import { Fragment } from 'react';
import { Link } from '../../../kit/design/link';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { amount } from '../../parts/format';
import { Fact, Facts, Moment } from '../../parts/parts';
import { partsTexts } from '../../texts/ru';
import type { Change } from '../api/types';
import { trailTexts } from '../texts/ru';
import s from './value.module.css';

type Fields = Record<string, unknown>;

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const id = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const nobody = '00000000-0000-0000-0000-000000000000';
const never = '0001-01-01T00:00:00Z';

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === nobody ||
  value === never ||
  (Array.isArray(value) && value.length === 0);

const isMasked = (value: unknown) => typeof value === 'string' && value.includes('•••');

/** is_paid reads Is paid, and OrderID Order id. */
export const words = (field: string) => {
  const text = field
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** Any JSON on a line or a few. */
export function Value({ of: value }: { of: unknown }) {
  if (isEmpty(value)) return <span className={s.faint}>—</span>;
  if (typeof value === 'boolean') return value ? partsTexts.yes : partsTexts.no;
  if (typeof value === 'number') return amount(value);
  if (Array.isArray(value)) {
    if (!value.some(isFields)) return value.map(String).join(', ');
    return (
      <ul className={s.several}>
        {value.map((one, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of a list in history is fixed
          <li key={at}>
            <Value of={one} />
          </li>
        ))}
      </ul>
    );
  }
  if (isFields(value)) {
    const given = Object.entries(value).filter(([, one]) => !isEmpty(one));
    return given.map(([name, one], at) => (
      <Fragment key={name}>
        {at > 0 ? '; ' : null}
        <span className={s.name}>{words(name).toLowerCase()}</span> <Value of={one} />
      </Fragment>
    ));
  }
  const text = String(value);
  if (isMasked(text))
    return (
      <span className={s.masked} title={partsTexts.masked}>
        {text}
      </span>
    );
  if (time.test(text)) return <Moment at={text} />;
  if (id.test(text)) return <code className={t.mono}>{text}</code>;
  return text;
}

/** What differs, field by field. */
export function Changes({
  changes,
  label,
  nameOf,
}: {
  changes: Change[];
  label: string;
  /** What people call a field; undefined: fields keep the names they have in the log. */
  nameOf?: (field: string) => string;
}) {
  return (
    <Table
      caption={label}
      columns={changeColumns(nameOf)}
      rows={changes}
      rowKey={({ field }) => field}
      className={s.changes}
    />
  );
}

const changeColumns = (nameOf?: (field: string) => string): Column<Change>[] => [
  {
    key: 'field',
    title: trailTexts.field,
    head: true,
    cell: ({ field }) => (nameOf ? nameOf(field) : <code className={t.mono}>{field}</code>),
  },
  { key: 'was', title: trailTexts.was, className: s.was, cell: ({ was }) => <Value of={was} /> },
  { key: 'now', title: trailTexts.now, cell: ({ now }) => <Value of={now} /> },
];

/** Of these a row shows its name with a link instead. */
const behindName = ['product_id', 'picture', 'link'];

/** A number that is a name: without separators. */
const plain = ['number', 'version', 'rules_version'];

/**
 * Everything of a state but what to leave: single facts, those of lead first, then its lists as tables; what is hidden
 * from the role or empty is only named.
 */
export function State({
  of: state,
  lead = [],
  leave = [],
}: {
  of: Fields;
  lead?: string[];
  leave?: string[];
}) {
  const rank = (name: string) => (lead.includes(name) ? lead.indexOf(name) : lead.length);
  const all = Object.entries(state).filter(([name]) => !leave.includes(name));
  const given = all
    .filter(([, value]) => !isEmpty(value) && !isMasked(value))
    .sort(([a], [b]) => rank(a) - rank(b));
  const named = (fits: (value: unknown) => boolean) =>
    all
      .filter(([, value]) => fits(value))
      .map(([name]) => words(name).toLowerCase())
      .join(', ');
  const masked = named(isMasked);
  const empty = named(isEmpty);
  const isTable = (value: unknown): value is Fields[] => Array.isArray(value) && value.every(isFields);
  const facts = given.filter(([, value]) => !isTable(value) && !isFields(value));
  return (
    <div className={s.state}>
      <Facts>
        {facts.map(([name, value]) => (
          <Fact key={name} label={words(name)}>
            {plain.includes(name.toLowerCase()) ? String(value) : <Value of={value} />}
          </Fact>
        ))}
      </Facts>
      {given.map(([name, value]) =>
        isTable(value) ? (
          <Rows key={name} name={words(name)} rows={value} />
        ) : isFields(value) ? (
          <div key={name}>
            <h4 className={s.part}>{words(name)}</h4>
            <State of={value} />
          </div>
        ) : null,
      )}
      {masked ? (
        <p className={s.empty}>
          <span className={s.masked}>•••</span> {trailTexts.hidden(masked)}
        </p>
      ) : null}
      {empty ? <p className={s.empty}>{trailTexts.empty(empty)}</p> : null}
    </div>
  );
}

function Rows({ name, rows }: { name: string; rows: Fields[] }) {
  const linked = rows.every((row) => row.product_id && row.name);
  const columns = [...new Set(rows.flatMap(Object.keys))].filter(
    (column) => !(linked && behindName.includes(column)),
  );
  const isNumber = (column: string) => rows.some((row) => typeof row[column] === 'number');
  return (
    <div>
      <h4 className={s.part}>{name}</h4>
      <Table
        caption={name}
        columns={columns.map(
          (column): Column<Fields> => ({
            key: column,
            title: words(column),
            number: isNumber(column),
            cell: (row) =>
              linked && column === 'name' ? (
                <Link className={t.link} to={`/analytics/products/${row.product_id}`}>
                  {String(row.name)}
                </Link>
              ) : (
                <Value of={row[column]} />
              ),
          }),
        )}
        rows={rows}
        rowKey={(_, at) => at}
        className={s.rows}
      />
    </div>
  );
}
