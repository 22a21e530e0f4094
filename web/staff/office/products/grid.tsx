// biome-ignore-all lint/a11y/useSemanticElements: a table cannot hold rows at places of their own
// biome-ignore-all lint/a11y/useFocusableInteractive: the cells of a grid hold the focus, not its rows and heads
// biome-ignore-all lint/a11y/useKeyWithClickEvents: the grid handles the keys
import {
  type ClipboardEvent,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { classes } from '../../../kit/design/classes';
import { Link } from '../../../kit/design/link';
import x from '../../../kit/design/text.module.css';
import { useThen } from '../desk/as-of';
import { CellEditor } from './cell-editor';
import { cellsOf, textOf as clipboardOf } from './clipboard';
import { type Column, columns } from './columns';
import type { Draft, DraftRow, Edit } from './draft';
import { read, textOf } from './fields';
import s from './grid.module.css';
import type { ProductGroups, ProductRow } from './queries';
import { goodsTexts as w } from './texts/ru';

/** The height of a row in pixels, 2.75rem, and how many rows above and below those in sight are drawn. */
const height = 2.75 * (Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16);
const spare = 8;

export type Place = { row: number; column: number };

type Props = {
  count: number;
  row: (at: number) => ProductRow | undefined;
  /** Rows that may not be in sight. */
  rows: (from: number, to: number) => Promise<ProductRow[]>;
  /** Told which rows are in sight. */
  sees: (from: number, to: number) => void;
  groups: ProductGroups;
  draft: Draft;
  edit: (edits: Edit[]) => void;
  /** Whether cells can be changed at all. */
  editable: boolean;
  chosen: ReadonlySet<string>;
  choose: (row: ProductRow) => void;
  sorted: string;
  sort: (by: string) => void;
};

/**
 * A grid of which only the rows in sight are drawn. One cell is active and holds the focus; arrows move it, typing
 * changes it, a clipboard of a spreadsheet fills from it.
 */
export function Grid(props: Props) {
  const { count, row, groups, draft, edit, editable, choose } = props;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [size, setSize] = useState(600);
  const [active, setActive] = useState<Place>({ row: 0, column: 0 });
  const [anchor, setAnchor] = useState<Place>();
  const [editing, setEditing] = useState<{ text?: string }>();
  const [told, setTold] = useState('');
  const focused = useRef(false);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element || typeof ResizeObserver === 'undefined') return;
    const watch = new ResizeObserver(() => setSize(element.clientHeight));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const first = Math.max(0, Math.min(Math.floor(top / height) - spare, count - 1));
  const last = Math.min(count, Math.ceil((top + size) / height) + spare);
  const { sees } = props;
  useEffect(() => sees(first, last), [sees, first, last]);

  const at = Math.max(0, Math.min(active.row, count - 1));
  // The active row is drawn out of sight too: its cell holds the focus.
  const drawn = [...new Set([...range(first, last), ...(count > 0 ? [at] : [])])];
  useEffect(() => {
    if (!focused.current || editing) return;
    box.current?.querySelector<HTMLElement>('[data-active]')?.focus({ preventScroll: true });
  });

  const move = (to: Place, extend = false) => {
    const next = {
      row: Math.max(0, Math.min(to.row, count - 1)),
      column: Math.max(-1, Math.min(to.column, columns.length - 1)),
    };
    setAnchor(extend ? (anchor ?? active) : undefined);
    setActive(next);
    focused.current = true;
    const element = box.current;
    if (!element) return;
    // The head covers the first row's height.
    if (next.row * height < element.scrollTop) element.scrollTop = next.row * height;
    const bottom = (next.row + 2) * height - element.clientHeight;
    if (bottom > element.scrollTop) element.scrollTop = bottom;
  };
  const span = spanOf(active, anchor);

  const write = async (from: Place, cells: string[][]) => {
    const rows = await props.rows(from.row, Math.min(count, from.row + cells.length));
    const edits = rows.flatMap((one, down) =>
      (cells[down] ?? []).flatMap((text, right): Edit[] => {
        const field = columns[from.column + right]?.field;
        return field ? [{ row: one, field, to: read(field, text, one, groups) }] : [];
      }),
    );
    edit(edits);
    setTold(w.filled(edits.length, edits.filter(({ to }) => to.wrong).length));
  };
  /** The one text of a clipboard, or nothing, fills the whole span; more cells begin at the active one. */
  const fill = (cells: string[][]) => {
    const single = cells.length === 1 && cells[0]?.length === 1;
    const value = cells[0]?.[0] ?? '';
    return write(
      { row: span.top, column: Math.max(0, span.left) },
      single
        ? range(span.top, span.bottom + 1).map(() =>
            range(Math.max(0, span.left), span.right + 1).map(() => value),
          )
        : cells,
    );
  };

  const pages = Math.max(1, Math.floor(size / height) - 2);
  const moves: Record<string, [number, number]> = {
    ArrowUp: [-1, 0],
    ArrowDown: [1, 0],
    ArrowLeft: [0, -1],
    ArrowRight: [0, 1],
    PageUp: [-pages, 0],
    PageDown: [pages, 0],
  };
  const keys = (event: KeyboardEvent) => {
    if (editing || event.altKey) return;
    const control = event.ctrlKey || event.metaKey;
    const by = moves[event.key];
    const here = row(at);
    if (by) {
      event.preventDefault();
      move({ row: active.row + by[0], column: active.column + by[1] }, event.shiftKey);
    } else if (event.key === 'Home' || event.key === 'End') {
      event.preventDefault();
      const end = event.key === 'End';
      move(
        { row: control ? (end ? count - 1 : 0) : active.row, column: end ? columns.length - 1 : -1 },
        event.shiftKey,
      );
    } else if (control) {
      return;
    } else if (event.key === ' ' && here) {
      event.preventDefault();
      choose(here);
    } else if (event.key === 'Escape') {
      setAnchor(undefined);
    } else if (event.key === 'Enter' || event.key === 'F2') {
      if ((event.target as HTMLElement).closest('a')) return;
      event.preventDefault();
      open();
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      if (editable) void fill([['']]);
    } else if (event.key.length === 1) {
      event.preventDefault();
      open(event.key);
    }
  };
  const open = (text?: string) => {
    const column = columns[active.column];
    const here = row(at);
    if (!here) return;
    if (active.column === -1) choose(here);
    else if (editable && column?.field) setEditing(column.choice || text === undefined ? {} : { text });
  };
  const copy = (event: ClipboardEvent) => {
    if (editing) return;
    event.preventDefault();
    const cells = range(span.top, span.bottom + 1).map((n) => {
      const one = row(n);
      return range(Math.max(0, span.left), span.right + 1).map((c) =>
        one ? shown(one, columns[c], draft, groups) : '',
      );
    });
    event.clipboardData.setData('text/plain', clipboardOf(cells));
  };
  const paste = (event: ClipboardEvent) => {
    if (editing || !editable) return;
    event.preventDefault();
    void fill(cellsOf(event.clipboardData.getData('text/plain')));
  };

  return (
    <>
      <p className={x.hidden} role="status">
        {told}
      </p>
      <div
        ref={box}
        className={s.grid}
        role="grid"
        aria-label={w.title}
        aria-rowcount={count + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable="true"
        aria-readonly={!editable}
        tabIndex={-1}
        onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
        onKeyDown={keys}
        onCopy={copy}
        onPaste={paste}
        onFocus={() => {
          focused.current = true;
        }}
        onBlur={({ relatedTarget, currentTarget }) => {
          if (!currentTarget.contains(relatedTarget)) focused.current = false;
        }}
      >
        <GridHead sorted={props.sorted} sort={props.sort} />
        <div role="rowgroup" style={{ blockSize: count * height, position: 'relative' }}>
          {drawn.map((n) => {
            const one = row(n);
            return (
              <Row
                key={n}
                at={n}
                row={one}
                draft={one && draft[one.id]}
                groups={groups}
                active={n === at ? active.column : undefined}
                from={n >= span.top && n <= span.bottom && anchor ? span.left : undefined}
                to={n >= span.top && n <= span.bottom && anchor ? span.right : undefined}
                chosen={one !== undefined && props.chosen.has(one.id)}
                editing={n === at ? editing : undefined}
                editable={editable}
                act={(action) => {
                  if (action.kind === 'choose' && one) choose(one);
                  if (action.kind === 'activate') move({ row: n, column: action.column }, action.extend);
                  if (action.kind === 'open') {
                    move({ row: n, column: action.column });
                    if (editable && columns[action.column]?.field) setEditing({});
                  }
                  if (action.kind === 'leave') {
                    const column = columns[active.column];
                    if (one && column?.field && action.text !== undefined)
                      edit([
                        { row: one, field: column.field, to: read(column.field, action.text, one, groups) },
                      ]);
                    setEditing(undefined);
                    if (action.by)
                      move({ row: active.row + action.by[0], column: active.column + action.by[1] });
                  }
                }}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

/** The rectangle between two places. */
function spanOf(active: Place, anchor: Place = active) {
  return {
    top: Math.min(active.row, anchor.row),
    bottom: Math.max(active.row, anchor.row),
    left: Math.min(active.column, anchor.column),
    right: Math.max(active.column, anchor.column),
  };
}

const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, n) => from + n);

/** What a cell is copied as. */
function shown(row: ProductRow, column: Column | undefined, draft: Draft, groups: ProductGroups): string {
  if (!column) return '';
  if (!column.field) return column.show(row, null, groups);
  return textOf(column.field, draft[row.id]?.cells[column.field]?.now ?? row[column.field], groups);
}

const template = ['2.75rem', ...columns.map(({ width }) => width)].join(' ');
const narrow = '2.25rem minmax(6rem, 1fr) 4.75rem 4.75rem';
const tracks = { '--wide': template, '--narrow': narrow } as React.CSSProperties;

function GridHead({ sorted, sort }: Pick<Props, 'sorted' | 'sort'>) {
  return (
    <div role="row" aria-rowindex={1} className={classes(s.row, s.head)} style={tracks}>
      <div role="columnheader" aria-colindex={1}>
        <span className={x.hidden}>{w.choose}</span>
      </div>
      {columns.map(({ key, title, sort: by, number, wide }, n) => (
        <div
          key={key}
          role="columnheader"
          aria-colindex={n + 2}
          aria-sort={sorted === by ? 'ascending' : sorted === `-${by}` ? 'descending' : undefined}
          className={classes(number && s.number, wide && s.wide)}
        >
          {by ? (
            <button type="button" className={s.sort} onClick={() => sort(sorted === by ? `-${by}` : by)}>
              {title()}
              <span aria-hidden="true">{sorted === by ? ' ↑' : sorted === `-${by}` ? ' ↓' : ''}</span>
            </button>
          ) : (
            title()
          )}
        </div>
      ))}
    </div>
  );
}

export type RowAction =
  | { kind: 'choose' }
  | { kind: 'activate'; column: number; extend: boolean }
  | { kind: 'open'; column: number }
  | { kind: 'leave'; text?: string; by?: [number, number] };

type RowProps = {
  at: number;
  row: ProductRow | undefined;
  draft: DraftRow | undefined;
  groups: ProductGroups;
  /** The column of the active cell, when it is in this row. */
  active: number | undefined;
  from: number | undefined;
  to: number | undefined;
  chosen: boolean;
  editing: { text?: string } | undefined;
  editable: boolean;
  act: (action: RowAction) => void;
};

const Row = memo(
  function Row(props: RowProps) {
    const { at, row, active, chosen, act } = props;
    return (
      <div
        role="row"
        aria-rowindex={at + 2}
        aria-selected={chosen}
        className={classes(s.row, s.body, row?.archived && s.gone, chosen && s.chosen)}
        style={{ ...tracks, insetBlockStart: at * height }}
      >
        <div
          role="gridcell"
          aria-colindex={1}
          tabIndex={active === -1 ? 0 : -1}
          data-active={active === -1 || undefined}
          onClick={() => act({ kind: 'activate', column: -1, extend: false })}
        >
          {row ? (
            <input
              type="checkbox"
              tabIndex={-1}
              checked={chosen}
              aria-label={w.chooseOne(row.article)}
              onChange={() => act({ kind: 'choose' })}
            />
          ) : null}
        </div>
        {columns.map((column, n) => (
          <GridCell key={column.key} n={n} column={column} {...props} />
        ))}
      </div>
    );
  },
  (before, after) =>
    (Object.keys(after) as (keyof RowProps)[]).every((key) => key === 'act' || before[key] === after[key]) &&
    after.active === undefined,
);

function GridCell({
  n,
  column,
  row,
  draft,
  groups,
  active,
  from,
  to,
  editing,
  editable,
  act,
}: RowProps & { n: number; column: Column }) {
  const then = useThen();
  const { field, number, wide } = column;
  const cell = field && draft?.cells[field];
  const here = active === n;
  const label = cell?.wrong ? w.wrong[cell.wrong] : undefined;
  let content: ReactNode = <span className={s.bone} />;
  if (row && here && editing && field) {
    content = (
      <CellEditor
        column={column}
        field={field}
        value={cell?.now ?? row[field]}
        groups={groups}
        begin={editing.text}
        leave={(text, by) =>
          act({ kind: 'leave', ...(text === undefined ? {} : { text }), ...(by ? { by } : {}) })
        }
      />
    );
  } else if (row) {
    const value = field ? (cell ? cell.now : row[field]) : null;
    const text = column.show(row, value, groups);
    content =
      column.key === 'article' || (column.key === 'name' && !editable) ? (
        <Link
          className={s.link}
          to={then(`/admin/products/${encodeURIComponent(row.article)}`)}
          tabIndex={here ? 0 : -1}
        >
          {text}
        </Link>
      ) : (
        <>
          {column.key === 'name' ? (
            // On a narrow screen the article, which leads there otherwise, is not shown.
            <Link
              className={s.open}
              to={then(`/admin/products/${encodeURIComponent(row.article)}`)}
              tabIndex={-1}
              aria-label={w.open(row.article)}
            >
              ›
            </Link>
          ) : null}
          {text}
        </>
      );
  }
  return (
    <div
      role="gridcell"
      aria-colindex={n + 2}
      aria-readonly={!field || !editable}
      aria-invalid={cell?.wrong ? true : undefined}
      title={label ?? (cell ? w.before(column.show(row as ProductRow, cell.was, groups) || '—') : undefined)}
      tabIndex={here ? 0 : -1}
      data-active={here || undefined}
      className={classes(
        number && s.number,
        wide && s.wide,
        cell && s.changed,
        cell?.wrong && s.wrong,
        from !== undefined && to !== undefined && n >= from && n <= to && s.span,
      )}
      // A second click opens it: on a phone nothing else does.
      onClick={({ shiftKey }) => {
        if (here && editing) return;
        act(
          here && !shiftKey ? { kind: 'open', column: n } : { kind: 'activate', column: n, extend: shiftKey },
        );
      }}
      onDoubleClick={() => act({ kind: 'open', column: n })}
    >
      {content}
      {label ? <span className={x.hidden}>{label}</span> : null}
    </div>
  );
}
