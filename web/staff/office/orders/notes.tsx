import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { words } from '../../api/client';
import { useMay, useMe } from '../../me';
import f from '../../parts/field.module.css';
import { Action, Moment, Section } from '../../parts/parts';
import { assign, note, type OrderSheet, tag } from '../api/queries';
import { sheetTexts as w } from '../texts/ru';
import s from './order.module.css';

const nobody = '00000000-0000-0000-0000-000000000000';

/** What staff write beside the order: notes, tags, and whose it is. Customers see none of it. */
export function Notes({ sheet }: { sheet: OrderSheet }) {
  const client = useQueryClient();
  const me = useMe();
  const may = useMay('orders.change');
  const mayNote = useMay('orders.pack');
  const [failed, setFailed] = useState('');
  const order = String(sheet.number);
  const tags = sheet.order.tags;
  const mine = sheet.order.assigned_to === me.id;
  const free = (sheet.order.assigned_to ?? nobody) === nobody;
  const assigned = sheet.steps.findLast(({ type }) => type === 'order.assigned');
  const act = async (change: Promise<unknown>) => {
    setFailed('');
    try {
      await change;
      await client.invalidateQueries({ queryKey: ['office'] });
      return true;
    } catch (error) {
      setFailed(words(error));
      return false;
    }
  };
  const submit = (name: string, change: (text: string) => Promise<unknown>) => async (event: FormEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const text = String(new FormData(form).get(name) ?? '').trim();
    if (text && (await act(change(text)))) form.reset();
  };
  const notes = sheet.steps.filter(({ type }) => type === 'order.noted');
  return (
    <Section title={w.notes}>
      <p role="alert" className={s.failed}>
        {failed}
      </p>
      <p>
        {w.assigned}: {free ? w.nobody : mine ? me.email : (assigned?.actor ?? '')}{' '}
        {may ? (
          <Action kind="plain" onClick={() => act(assign(order, mine ? null : me.id))}>
            {mine ? w.letGo : w.take}
          </Action>
        ) : null}
      </p>
      <ul className={s.tags} aria-label={w.tags}>
        {tags.map((one) => (
          <li key={one}>
            {one}
            {may ? (
              <button
                type="button"
                aria-label={w.removeTag(one)}
                onClick={() =>
                  act(
                    tag(
                      order,
                      tags.filter((other) => other !== one),
                    ),
                  )
                }
              >
                ×
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {may ? (
        <form className={s.add} onSubmit={submit('tag', (text) => tag(order, [...tags, text]))}>
          <label className={f.field}>
            {w.newTag}
            <input name="tag" maxLength={40} />
          </label>
          <Action type="submit">{w.addTag}</Action>
        </form>
      ) : null}
      {notes.length === 0 ? <p className={s.quiet}>{w.noNotes}</p> : null}
      <ul className={s.notes}>
        {notes.map((step) => (
          <li key={step.position}>
            <p>{String((step.data as { text?: string } | null)?.text ?? '•••')}</p>
            <p className={s.quiet}>
              {step.actor} · <Moment at={step.recorded_at} />
            </p>
          </li>
        ))}
      </ul>
      {mayNote ? (
        <form className={s.add} onSubmit={submit('note', (text) => note(order, text))}>
          <label className={f.field}>
            {w.newNote}
            <textarea name="note" rows={3} maxLength={2000} />
          </label>
          <Action type="submit">{w.add}</Action>
        </form>
      ) : null}
    </Section>
  );
}
