import { useState } from 'react';
import { useMay } from '../../me';
import { Labelled } from '../../parts/labelled';
import { Action } from '../../parts/parts';
import { officeTexts, orderListTexts as w } from '../texts/ru';
import s from './orders.module.css';

type Props = {
  address: URLSearchParams;
  narrow: (name: string, value: string) => void;
  query: string;
  find: (query: string) => void;
  reset: () => void;
};

/** The filters that stand behind one button on a phone. */
const narrowing = [
  'status',
  'payment',
  'paid',
  'delivery',
  'city',
  'day',
  'from',
  'to',
  'tag',
  'sort',
  'mine',
  'owing',
];

/** What narrows the list. Everything but the words searched for stands in the address. */
export function Filters({ address, narrow, query, find, reset }: Props) {
  const persons = useMay('personal.see');
  const [typed, setTyped] = useState(query);
  const [open, setOpen] = useState(false);
  const value = (name: string) => address.get(name) ?? '';
  const active = narrowing.filter((name) => value(name) !== '').length;
  const select = (name: string, label: string, options: [string, string][]) => (
    <Labelled label={label}>
      <select value={value(name)} onChange={({ target }) => narrow(name, target.value)}>
        {options.map(([key, said]) => (
          <option key={key} value={key}>
            {said}
          </option>
        ))}
      </select>
    </Labelled>
  );
  const typedInto = (name: string, label: string, type = 'text') => (
    <Labelled label={label}>
      <input
        key={value(name)}
        type={type}
        defaultValue={value(name)}
        onBlur={({ target }) => target.value !== value(name) && narrow(name, target.value.trim())}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && narrow(name, currentTarget.value.trim())}
      />
    </Labelled>
  );
  return (
    <search className={s.filters}>
      <form
        className={s.find}
        onSubmit={(event) => {
          event.preventDefault();
          narrow('offset', '');
          find(typed.trim());
        }}
      >
        <Labelled label={persons ? w.query : w.queryMasked}>
          <input
            type="search"
            value={typed}
            maxLength={200}
            onChange={({ target }) => setTyped(target.value)}
          />
        </Labelled>
        <Action type="submit" kind="strong">
          {w.find}
        </Action>
      </form>
      <Action className={s.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        {w.filters(active)}
      </Action>
      <div className={s.narrow} data-open={open || undefined}>
        {select('status', w.status, [
          ['', w.any],
          ['work', w.atWork],
          ...Object.entries(officeTexts.statuses),
        ])}
        {select('payment', w.payment, [['', w.any], ...Object.entries(officeTexts.methods)])}
        {select('paid', w.paid, [
          ['', w.any],
          ['yes', w.paid],
          ['no', w.unpaid],
        ])}
        {select('delivery', w.delivery, [['', w.any], ...Object.entries(officeTexts.deliveries)])}
        {typedInto('city', w.city)}
        {typedInto('day', w.day, 'date')}
        {typedInto('from', w.from, 'date')}
        {typedInto('to', w.to, 'date')}
        {typedInto('tag', w.tag)}
        {select('sort', w.sort, [
          ['', w.newest],
          ['oldest', w.oldest],
          ['dearest', w.dearest],
          ['day', w.byDay],
        ])}
        <label className={s.check}>
          <input
            type="checkbox"
            checked={value('mine') !== ''}
            onChange={({ target }) => narrow('mine', target.checked ? 'yes' : '')}
          />
          {w.mine}
        </label>
        <label className={s.check}>
          <input
            type="checkbox"
            checked={value('owing') !== ''}
            onChange={({ target }) => narrow('owing', target.checked ? 'yes' : '')}
          />
          {w.owing}
        </label>
        <Action
          onClick={() => {
            setTyped('');
            find('');
            reset();
          }}
        >
          {w.reset}
        </Action>
      </div>
    </search>
  );
}
