import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { useNavigate } from '../../../kit/router/router';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Confirm } from '../../parts/parts';
import s from './changes.module.css';
import { type ChangeItem, type ChangeSheet, changeQueries, undo } from './queries';
import { changeTexts as w } from './texts/ru';
import { fieldName, said } from './value';

/** Says what an undo puts back and what it leaves, and does it. What was changed since goes back only by choice. */
export function Undo({ sheet, close }: { sheet: ChangeSheet; close: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [reason, setReason] = useState('');
  const [force, setForce] = useState<number[]>([]);
  const tried = useQuery(changeQueries.undo(sheet.id));
  const rows = tried.data?.results ?? [];
  const itemOf = (row: { thing: string; id: string; field: string }): ChangeItem | undefined =>
    sheet.page.find(({ thing, id, field }) => thing === row.thing && id === row.id && field === row.field);
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
      <p>{tried.isPending ? w.trying : w.goesBack(count(done))}</p>
      {tried.error instanceof Problem ? <p>{tried.error.detail}</p> : null}
      {conflicts.length > 0 ? (
        <>
          <p>{w.changedSince}</p>
          <ul className={s.left}>
            {conflicts.slice(0, shown).map((row) => {
              const item = itemOf(row);
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
                        item?.name || row.id,
                        fieldName(row.field),
                        said(row.found),
                        said(row.now),
                      )}
                    </span>
                  </label>
                </li>
              );
            })}
          </ul>
          {conflicts.length > shown ? <p>{w.andOthers(count(conflicts.length - shown))}</p> : null}
          {conflicts.length > 1 ? (
            <label className={s.left}>
              <input
                type="checkbox"
                checked={force.length === conflicts.length}
                onChange={({ target }) =>
                  setForce(target.checked ? conflicts.flatMap(({ undoes }) => undoes ?? []) : [])
                }
              />
              <span>{w.takeAll(count(conflicts.length))}</span>
            </label>
          ) : null}
        </>
      ) : null}
      {refused.slice(0, shown).map((row) => (
        <p key={`${row.thing} ${row.id} ${row.field}`}>
          {itemOf(row)?.name || row.id}: {row.detail}
        </p>
      ))}
      <label className={f.field}>
        {w.why}
        <input value={reason} maxLength={1000} onChange={({ target }) => setReason(target.value)} />
      </label>
    </Confirm>
  );
}

/** How many of the items that stay are named. */
const shown = 20;
