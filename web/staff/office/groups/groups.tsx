import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Dialog } from '../../../kit/design/dialog';
import { FormError } from '../../../kit/design/field';
import { Link } from '../../../kit/design/link';
import x from '../../../kit/design/text.module.css';
import { FormField } from '../../../kit/form/form-field';
import { useNavigate } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import { useMay } from '../../me';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Action, Confirm, Head, Loaded, Loading, Nothing } from '../../parts/parts';
import { useMerging } from '../changes/merge';
import { Present } from '../changes/present';
import { AsOf, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { previewOf, propose } from '../products/changes';
import {
  archive,
  type Entry,
  entryQueries,
  type Item,
  itemsOf,
  type Kind,
  restore,
  type Values,
} from './entries';
import s from './groups.module.css';
import { arranged, moved, type Place } from './place';
import { groupTexts as w } from './texts/ru';
import { Tree } from './tree';

export const Categories = () => <Groups kind="category" />;
export const Brands = () => <Groups kind="brand" />;
export const Marks = () => <Groups kind="mark" />;

/** What products are put into. Every act is a change, which can be undone. */
function Groups({ kind }: { kind: Kind }) {
  const at = useAt();
  const then = useThen();
  const may = useMay('catalog.change') && !at;
  const client = useQueryClient();
  const found = useQuery(entryQueries.list(kind, at));
  const [edited, setEdited] = useState<Entry | 'new'>();
  const [leaving, setLeaving] = useState<Entry>();
  const [told, setTold] = useState('');
  const [failed, setFailed] = useState('');
  // What a move sets is shown at once, until the shop answers.
  const [landing, setLanding] = useState<Item[]>();
  const told_ = async (text: string) => {
    setTold(text);
    await client.invalidateQueries({ queryKey: ['office'] });
  };
  const act = async (work: () => Promise<{ status?: string }>) => {
    setFailed('');
    try {
      const { status } = await work();
      await told_(status === 'waiting' ? w.waits : w.saved);
    } catch (error) {
      setFailed(words(error));
    }
  };
  const acts: EntryActs = {
    edit: setEdited,
    leave: setLeaving,
    restore: (entry) => act(() => restore(kind, entry, w.restoreTitle(entry.name))),
  };
  const move = async (among: Entry[], entry: Entry, place: Place) => {
    const items = moved(among, entry.id, place);
    if (items.length === 0 || landing) return;
    setLanding(items);
    await act(() => propose({ title: w.orderTitle(entry.name), items }));
    setLanding(undefined);
  };
  return (
    <>
      <Head title={w.titles[kind]} lead={w.lead}>
        {may ? (
          <Action kind="strong" onClick={() => setEdited('new')}>
            {w.add}
          </Action>
        ) : null}
      </Head>
      <AsOf />
      <p role="status" className={d.told}>
        {told}
      </p>
      <p role="alert" className={d.failed}>
        {failed}
      </p>
      <Loaded query={found} what={w.titles[kind]} loading={<Loading rows={6} height={56} />}>
        {({ results }) => {
          const active = results.filter(({ archived }) => !archived);
          const tree = kind === 'category';
          const asItWillBe = landing ? arranged(active, landing) : active;
          const rows = tree ? results.filter(({ archived }) => archived) : results;
          return (
            <>
              {tree && active.length > 0 ? (
                <Tree
                  entries={asItWillBe}
                  may={may}
                  actions={({ entry, siblings }) => (
                    <>
                      <Arrows
                        entry={entry}
                        siblings={siblings}
                        move={(place) => move(active, entry, place)}
                      />
                      <Acts entry={entry} {...acts} />
                    </>
                  )}
                  move={(entry, place) => move(active, entry, place)}
                />
              ) : null}
              {tree && active.length > 0 && rows.length === 0 ? null : (
                <Table
                  caption={tree ? w.archivedOnes : w.titles[kind]}
                  columns={columns(kind, may, acts, then)}
                  rows={rows}
                  rowKey={({ id }) => id}
                  empty={<Nothing title={w.none} />}
                  cards
                />
              )}
              {edited ? (
                <Edit
                  kind={kind}
                  entry={edited === 'new' ? undefined : edited}
                  among={active}
                  saved={(status) => told_(status === 'waiting' ? w.waits : w.saved)}
                  close={() => setEdited(undefined)}
                />
              ) : null}
              {leaving ? (
                <Leave
                  kind={kind}
                  entry={leaving}
                  among={active}
                  act={async (to) => {
                    const { status } = await archive(kind, leaving, to, w.archiveTitle(leaving.name));
                    await told_(status === 'waiting' ? w.waits : w.saved);
                  }}
                  close={() => setLeaving(undefined)}
                />
              ) : null}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

type EntryActs = {
  edit: (entry: Entry) => void;
  leave: (entry: Entry) => void;
  restore: (entry: Entry) => void;
};

const columns = (kind: Kind, may: boolean, acts: EntryActs, then: Then): Column<Entry>[] => [
  {
    key: 'name',
    title: w.name,
    head: true,
    cell: (entry) => (
      <span className={entry.archived ? s.gone : undefined}>
        {entry.name}
        {entry.archived ? <span className={t.sub}>{w.archived}</span> : null}
      </span>
    ),
  },
  ...(kind === 'mark'
    ? []
    : [{ key: 'link', title: w.link, cell: ({ link }: Entry) => <span className={d.id}>{link}</span> }]),
  {
    key: 'products',
    title: w.products,
    number: true,
    cell: (entry) => (
      <Link to={then(`/admin/products?${kind}=${entry.id}`)}>
        {count(entry.products)}
        <span className={x.hidden}> {w.productsOf(entry.name)}</span>
      </Link>
    ),
  },
  {
    key: 'actions',
    title: w.actions,
    actions: true,
    cell: (entry) =>
      may ? (
        <div className={d.actions}>
          <Acts entry={entry} {...acts} />
        </div>
      ) : null,
  },
];

function Acts({ entry, edit, leave, restore }: { entry: Entry } & EntryActs) {
  return entry.archived ? (
    <Action aria-label={w.restoreTitle(entry.name)} onClick={() => restore(entry)}>
      {w.restore}
    </Action>
  ) : (
    <>
      <Action aria-label={w.editTitle(entry.name)} onClick={() => edit(entry)}>
        {w.edit}
      </Action>
      <Action aria-label={w.archiveTitle(entry.name)} onClick={() => leave(entry)}>
        {w.archive}
      </Action>
    </>
  );
}

/** One place up or down among those beside it, for whoever neither drags nor types. */
function Arrows({
  entry,
  siblings,
  move,
}: {
  entry: Entry;
  siblings: Entry[];
  move: (place: Place) => void;
}) {
  const at = siblings.indexOf(entry);
  const before = (n: number) => move({ parent: entry.parent_id, before: siblings[n]?.id ?? null });
  return (
    <>
      <Action disabled={at <= 0} aria-label={w.up(entry.name)} onClick={() => before(at - 1)}>
        ↑
      </Action>
      <Action
        disabled={at === siblings.length - 1}
        aria-label={w.down(entry.name)}
        onClick={() => before(at + 2)}
      >
        ↓
      </Action>
    </>
  );
}

function Edit({
  kind,
  entry,
  among,
  saved,
  close,
}: {
  kind: Kind;
  entry: Entry | undefined;
  among: Entry[];
  saved: (status: string | undefined) => Promise<void>;
  close: () => void;
}) {
  const [open, setOpen] = useState(true);
  const form = useForm<Values>({
    defaultValues: {
      name: entry?.name ?? '',
      nameKazakh: entry?.kazakh.name ?? '',
      link: entry?.link ?? '',
      description: entry?.description ?? '',
      descriptionKazakh: entry?.kazakh.description ?? '',
      parent_id: entry?.parent_id ?? '',
    },
  });
  const { merge, dialog } = useMerging();
  const navigate = useNavigate();
  const send = async (values: Values, draft: boolean) => {
    const beside = among.filter(({ parent_id }) => (parent_id ?? '') === values.parent_id);
    const items = itemsOf(kind, entry, values, beside.length + 1);
    try {
      const named = entry ? w.editTitle(entry.name) : w.addTitle(values.name);
      const made =
        items.length > 0 ? await merge({ title: named, items, ...(draft ? { draft } : {}) }) : undefined;
      if (draft && made?.id) return navigate(previewOf(made.id));
      setOpen(false);
      await saved(made?.status);
    } catch (error) {
      form.setError('root', { message: words(error) });
    }
  };
  const title = entry ? w.editTitle(entry.name) : w.add;
  return (
    <>
      {dialog}
      <Dialog open={open} onClose={close} label={title} place="wide">
        <form className={d.form} onSubmit={form.handleSubmit((values) => send(values, false))}>
          <h2>{title}</h2>
          {entry ? <Present thing={kind} id={entry.id} editing={form.formState.isDirty} /> : null}
          <FormField form={form} name="name" label={w.name}>
            {(tied) => <input required maxLength={500} {...tied} />}
          </FormField>
          {kind === 'brand' ? null : (
            <FormField form={form} name="nameKazakh" label={w.nameKazakh} required={false}>
              {(tied) => <input lang="kk" maxLength={500} {...tied} />}
            </FormField>
          )}
          {kind === 'mark' ? null : (
            <FormField form={form} name="link" label={w.link} hint={w.linkHint}>
              {(tied) => <input required maxLength={200} pattern="[a-z0-9_\-]+" {...tied} />}
            </FormField>
          )}
          {kind === 'category' ? (
            <FormField form={form} name="parent_id" label={w.parent} required={false}>
              {(tied) => (
                <select {...tied} value={form.watch('parent_id')}>
                  <option value="">{w.top}</option>
                  {among
                    .filter(({ id, parent_id }) => !parent_id && id !== entry?.id)
                    .map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                </select>
              )}
            </FormField>
          ) : null}
          <FormField form={form} name="description" label={w.description} required={false}>
            {(tied) => <textarea rows={4} maxLength={100_000} {...tied} />}
          </FormField>
          <FormField
            form={form}
            name="descriptionKazakh"
            label={w.descriptionKazakh}
            hint={w.kazakhHint}
            required={false}
          >
            {(tied) => <textarea lang="kk" rows={4} maxLength={100_000} {...tied} />}
          </FormField>
          <FormError>{form.formState.errors.root?.message}</FormError>
          <div className={d.actions}>
            <Action type="submit" kind="strong" aria-disabled={form.formState.isSubmitting}>
              {w.save}
            </Action>
            {kind === 'mark' ? null : (
              <Action
                disabled={form.formState.isSubmitting}
                onClick={form.handleSubmit((values) => send(values, true))}
              >
                {w.lookFirst}
              </Action>
            )}
          </div>
        </form>
      </Dialog>
    </>
  );
}

/** Asks where an entry's products go before it leaves the catalog. */
function Leave({
  kind,
  entry,
  among,
  act,
  close,
}: {
  kind: Kind;
  entry: Entry;
  among: Entry[];
  act: (to: string | null) => Promise<void>;
  close: () => void;
}) {
  const [to, setTo] = useState('');
  const moves = kind !== 'mark' && entry.products > 0;
  return (
    <Confirm
      title={w.archiveTitle(entry.name)}
      button={w.archive}
      danger
      disabled={moves && kind === 'category' && to === ''}
      act={() => act(to || null)}
      close={close}
    >
      <p>{moves ? w.moves(count(entry.products)) : w.leaves}</p>
      {moves ? (
        <label className={f.field}>
          {w.newPlace}
          <select value={to} onChange={({ target }) => setTo(target.value)}>
            <option value="">{kind === 'brand' ? w.noBrand : '—'}</option>
            {among
              .filter(({ id }) => id !== entry.id)
              .map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
          </select>
        </label>
      ) : null}
    </Confirm>
  );
}
