import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { ButtonLink } from '../../../kit/design/button';
import { useSearchParams } from '../../../kit/router/router';
import { csvOf } from '../../../kit/table/rows';
import { useMay, useMe } from '../../me';
import { count } from '../../parts/format';
import { Action, Failed, Head, Loaded, Loading, Nothing } from '../../parts/parts';
import { save } from '../../parts/save';
import { useFilters } from '../desk/address';
import { AsOf, useAt } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { Bulk } from './bulk';
import { columns } from './columns';
import { type Draft, useDraft } from './draft';
import { textOf } from './fields';
import { Filters, searchOf } from './filters';
import { Grid } from './grid';
import s from './products.module.css';
import { type ProductGroups, type ProductRow, productQueries } from './queries';
import { useRows } from './rows';
import { SendBar } from './send';
import { bulkTexts as b, goodsTexts as w } from './texts/ru';

/** What the shop sells, as a grid whose changes are sent together. */
export function Products() {
  const at = useAt();
  const may = useMay('catalog.change') && !at;
  const groups = useQuery(productQueries.groups(at));
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        {may ? <ButtonLink to="/admin/products/new">{w.add}</ButtonLink> : null}
      </Head>
      <AsOf />
      <Loaded query={groups} what={w.what} loading={<Loading rows={8} height={44} />}>
        {(known) => <Sheet groups={known} past={at !== ''} />}
      </Loaded>
    </>
  );
}

/** Nothing is on its way in the past. */
const noDraft: Draft = {};

/** The goods that filters find. Those of the past are shown alone: they can be taken away, and not changed. */
function Sheet({ groups, past }: { groups: ProductGroups; past: boolean }) {
  const me = useMe();
  const editable = useMay('catalog.change') && !past;
  const { value, narrow, reset } = useFilters();
  const [address] = useSearchParams();
  const text = address.toString();
  const search = useMemo(() => searchOf(new URLSearchParams(text)), [text]);
  const [[from, to], setSeen] = useState([0, 30]);
  const sees = useCallback((first: number, last: number) => setSeen([first, last]), []);
  const found = useRows(search, from, to);
  const { draft: own, fits, edit, drop, clear } = useDraft(me.id);
  const draft = past ? noDraft : own;
  const [chosen, setChosen] = useState<ReadonlyMap<string, ProductRow>>(new Map());
  const [everything, setEverything] = useState(false);
  const [bulk, setBulk] = useState(false);
  const only = value('changed') === 'yes' && !past;
  const changed = useMemo(
    () =>
      Object.values(draft)
        .map(({ row }) => row)
        .sort((one, other) => (one.article < other.article ? -1 : 1)),
    [draft],
  );
  const total = only ? changed.length : found.count;
  const all = async (start: number, end: number) => {
    if (only) return changed.slice(start, end);
    const here = Array.from({ length: end - start }, (_, n) => found.row(start + n));
    return here.every((one) => one !== undefined) ? (here as ProductRow[]) : found.all(start, end);
  };
  const many = everything ? (total ?? 0) : chosen.size;
  const rowsOfMany = () => (everything ? all(0, total ?? 0) : Promise.resolve([...chosen.values()]));
  const shown = () => (many > 0 ? rowsOfMany() : all(0, total ?? 0));
  const ids = useMemo(() => new Set(chosen.keys()), [chosen]);
  return (
    <>
      <Filters
        value={value}
        narrow={(name, next) => {
          setChosen(new Map());
          setEverything(false);
          narrow(name, next);
        }}
        reset={reset}
        groups={groups}
      />
      <div className={s.bar}>
        <p role="status" className={d.count}>
          {total === undefined ? '…' : w.found(count(total))}
        </p>
        {past ? null : (
          <label className={d.check}>
            <input
              type="checkbox"
              checked={only}
              onChange={({ target }) => narrow('changed', target.checked ? 'yes' : '')}
            />
            {w.onlyChanged}
          </label>
        )}
        {editable ? (
          <label className={d.check}>
            <input
              type="checkbox"
              checked={everything}
              onChange={({ target }) => setEverything(target.checked)}
            />
            {b.allFound(count(total ?? 0))}
          </label>
        ) : null}
        {many > 0 ? (
          <>
            <span>{b.chosen(count(many))}</span>
            {editable ? (
              <Action kind="strong" onClick={() => setBulk(true)}>
                {b.title}
              </Action>
            ) : null}
            <Action
              onClick={() => {
                setChosen(new Map());
                setEverything(false);
              }}
            >
              {b.clear}
            </Action>
          </>
        ) : null}
        <Action
          onClick={async () => save('products.csv', csvOf(exported(groups), await shown()), 'text/csv')}
        >
          {w.export}
        </Action>
        <Action
          onClick={async () => {
            const [{ xlsxOf }, rows] = await Promise.all([import('../../../kit/table/xlsx'), shown()]);
            save('products.xlsx', xlsxOf(exported(groups), rows), workbook);
          }}
        >
          {w.exportXlsx}
        </Action>
      </div>
      {found.error && !only ? <Failed error={found.error} retry={() => found.again()} what={w.what} /> : null}
      {total === 0 ? (
        <Nothing title={w.none}>{w.noneWhy}</Nothing>
      ) : (
        <Grid
          key={only ? 'changed' : text}
          count={total ?? 0}
          row={only ? (at) => changed[at] : found.row}
          rows={all}
          sees={sees}
          groups={groups}
          draft={draft}
          edit={edit}
          editable={editable}
          chosen={ids}
          choose={(row) => {
            const next = new Map(chosen);
            if (!next.delete(row.id)) next.set(row.id, row);
            setChosen(next);
          }}
          sorted={value('sort') || 'article'}
          sort={(by) => narrow('sort', by)}
        />
      )}
      <p className={d.quiet}>{w.keys}</p>
      {editable ? <SendBar draft={draft} fits={fits} groups={groups} drop={drop} clear={clear} /> : null}
      {bulk ? (
        <Bulk
          rows={{ count: many, all: rowsOfMany }}
          groups={groups}
          draft={draft}
          edit={edit}
          close={() => setBulk(false)}
        />
      ) : null}
    </>
  );
}

/** The type of a workbook. */
const workbook = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** What the grid shows, as the shop's catalog files name it. */
const exported = (groups: ProductGroups) =>
  columns.map(({ key, title, field }) => ({
    key,
    title: title(),
    cell: () => null,
    value: (row: ProductRow) =>
      field === undefined
        ? key === 'available'
          ? row.available
          : row.article
        : typeof row[field] === 'number'
          ? row[field]
          : textOf(field, row[field], groups),
  }));
