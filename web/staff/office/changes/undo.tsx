import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { useNavigate } from '../../../kit/router/router';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Confirm } from '../../parts/parts';
import s from './changes.module.css';
import { type ChangeAnswer, type ChangeItem, type ChangeSheet, changeQueries, undo } from './queries';
import { nameTexts } from './texts/names-ru';
import { changeTexts as w } from './texts/ru';
import { fieldName, refusal, said, thingName, useCalled } from './value';

type Row = ChangeAnswer['results'][number];

/** Says what an undo puts back, what it leaves and why, and does it. What was changed since goes back only by choice. */
export function Undo({ sheet, close }: { sheet: ChangeSheet; close: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  const [force, setForce] = useState<number[]>([]);
  const tried = useQuery(changeQueries.undo(sheet.id));
  const rows = tried.data?.results ?? [];
  const stays = tried.data?.stays ?? [];
  const conflicts = rows.filter(({ outcome }) => outcome === 'conflict');
  const refused = rows.filter(({ outcome }) => outcome === 'refused');
  const done = rows.filter(({ outcome }) => outcome === 'done').length;
  const act = async () => {
    const { id } = await undo(sheet.id, reason.trim(), force);
    // An undone change is not tried once more.
    const { queryKey: trial } = changeQueries.undo(sheet.id);
    await client.invalidateQueries({
      queryKey: changeQueries.all(),
      predicate: ({ queryKey }) => queryKey.at(-1) !== trial.at(-1),
    });
    if (id) navigate(`/admin/changes/${id}`);
  };
  return (
    <Confirm
      title={w.undo}
      button={w.undo}
      disabled={tried.isPending || (tried.isSuccess && done + force.length === 0)}
      act={act}
      close={close}
    >
      {sheet.status === 'ended' ? <p>{w.hasEnded}</p> : null}
      <p>{tried.isPending ? w.trying : w.goesBack(count(done))}</p>
      {tried.error instanceof Problem ? <p>{problemOf(tried.error)}</p> : null}
      {conflicts.length > 0 ? (
        <ChangedSince rows={conflicts} items={sheet.page} force={force} setForce={setForce} />
      ) : null}
      <Why title={w.cannotGoBack} rest={refused.length - shown}>
        {refused.slice(0, shown).map((row) => (
          <li key={`${row.thing} ${row.id} ${row.field}`}>
            {nameOf(row, sheet.page)}, {fieldName(row.field, row.thing)}: {refusal(row)}
          </li>
        ))}
      </Why>
      <Why title={w.staysSince} rest={stays.length - shown}>
        {stays.slice(0, shown).map((one) => (
          <li key={`${one.thing} ${one.id} ${one.reason}`}>
            {w.stay(nameOf(one, sheet.page), count(one.count), nameTexts.stays[one.reason])}
          </li>
        ))}
      </Why>
      <details>
        <summary>{w.neverGoesBack}</summary>
        <ul>
          {Object.entries(nameTexts.stays).map(([reason, text]) => (
            <li key={reason}>{text}</li>
          ))}
        </ul>
      </details>
      <label className={f.field}>
        {w.why}
        <input value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
      </label>
    </Confirm>
  );
}

/** How many of the items that stay are named. */
const shown = 20;

/** Why a change cannot be taken back at all. */
const problemOf = (error: Problem): string => {
  const { code } = error.body as { code?: string };
  return refusal({ code: code ?? '', detail: error.detail ?? '' });
};

/** What people call the thing of an item. */
function nameOf({ thing, id }: { thing: string; id: string }, items: ChangeItem[]): string {
  return items.find((one) => one.thing === thing && one.id === id)?.name || `${thingName(thing)} ${id}`;
}

/** A list of what stays as it is, with its title; nothing where it is empty. */
function Why({ title, rest, children }: { title: string; rest: number; children: React.ReactNode[] }) {
  if (children.length === 0) return null;
  return (
    <>
      <p>{title}</p>
      <ul className={s.why}>{children}</ul>
      {rest > 0 ? <p>{w.andOthers(count(rest))}</p> : null}
    </>
  );
}

type Choice = { rows: Row[]; items: ChangeItem[]; force: number[]; setForce: (to: number[]) => void };

/** What somebody changed since, with both values; chosen ones go back all the same. */
function ChangedSince({ rows, items, force, setForce }: Choice) {
  const called = useCalled(rows.map(({ field }) => field));
  return (
    <>
      <p>{w.changedSince}</p>
      <ul className={s.left}>
        {rows.slice(0, shown).map((row) => {
          const n = row.undoes ?? -1;
          return (
            <li key={`${row.thing} ${row.id} ${row.field}`}>
              <label>
                <input
                  type="checkbox"
                  disabled={n < 0}
                  checked={force.includes(n)}
                  onChange={({ target }) =>
                    setForce(target.checked ? [...force, n] : force.filter((one) => one !== n))
                  }
                />
                <span>
                  {w.takeAnyway(
                    nameOf(row, items),
                    fieldName(row.field, row.thing),
                    said(row.found, row.field, called),
                    said(row.now, row.field, called),
                  )}
                </span>
              </label>
            </li>
          );
        })}
      </ul>
      {rows.length > shown ? <p>{w.andOthers(count(rows.length - shown))}</p> : null}
      {rows.length > 1 ? (
        <label className={s.left}>
          <input
            type="checkbox"
            checked={force.length === rows.length}
            onChange={({ target }) =>
              setForce(target.checked ? rows.flatMap(({ undoes }) => undoes ?? []) : [])
            }
          />
          <span>{w.takeAll(count(rows.length))}</span>
        </label>
      ) : null}
    </>
  );
}
