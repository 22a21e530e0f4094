import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action, Section } from '../../parts/parts';
import d from '../desk/desk.module.css';
import { customerQueries, groupCustomer } from './queries';
import { customerTexts as w } from './texts/ru';

/** The groups that staff put a customer into. */
export function Groups({ id, groups, open }: { id: string; groups: string[]; open: boolean }) {
  const client = useQueryClient();
  const known = useQuery(customerQueries.groups());
  const list = useId();
  const [typed, setTyped] = useState('');
  const [failed, setFailed] = useState('');
  const change = async (group: string, isIn: boolean) => {
    setFailed('');
    try {
      await groupCustomer(id, group, isIn);
      await client.invalidateQueries({ queryKey: ['persons', 'customer', id] });
      await client.invalidateQueries(customerQueries.groups());
      if (isIn) setTyped('');
    } catch (error) {
      setFailed(words(error));
    }
  };
  return (
    <Section title={w.groups}>
      <p className={d.quiet}>{groups.length > 0 ? w.groupsWhy : w.noGroups}</p>
      <ul className={d.list}>
        {groups.map((group) => (
          <li key={group}>
            {group}{' '}
            {open ? (
              <Action kind="plain" aria-label={w.leaveGroup(group)} onClick={() => void change(group, false)}>
                ×
              </Action>
            ) : null}
          </li>
        ))}
      </ul>
      {open ? (
        <form
          className={d.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (typed.trim()) void change(typed.trim(), true);
          }}
        >
          <label className={f.field}>
            {w.newGroup}
            <input
              value={typed}
              maxLength={40}
              list={list}
              onChange={({ target }) => setTyped(target.value)}
            />
          </label>
          <datalist id={list}>
            {known.data?.results.map(({ name }) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          <p role="alert" className={d.failed}>
            {failed}
          </p>
          <div>
            <Action type="submit">{w.join}</Action>
          </div>
        </form>
      ) : null}
    </Section>
  );
}
