import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import { productQueries } from '../products/queries';
import { type Draft, wrongTyped } from './draft';
import s from './promocodes.module.css';
import { groupQuery, productOf } from './queries';
import { promocodeTexts as w } from './texts/ru';

type Terms = {
  draft: Draft;
  set: (draft: Draft) => void;
  /** The field that the server refused; empty: none. */
  wrong: string;
};

/** Says beside a field why the server refused it. */
function Wrong({ of, wrong }: { of: keyof typeof w.wrong; wrong: string }) {
  return of === wrong ? (
    <span role="alert" className={d.failed}>
      {w.wrong[of]}
    </span>
  ) : null;
}

/** What a code grants, and what and whom it is for. */
export function TermsFields({ draft, set, wrong: refused }: Terms) {
  const wrong = refused || wrongTyped(draft);
  const number = (
    name: 'value' | 'max' | 'min' | 'uses' | 'perCustomer',
    of: keyof typeof w.wrong,
    label: string,
  ) => (
    <label className={f.field}>
      {label}
      <input
        aria-invalid={of === wrong}
        inputMode="numeric"
        value={draft[name]}
        maxLength={10}
        onChange={({ target }) => set({ ...draft, [name]: target.value.replace(/\D/g, '') })}
      />
      <Wrong of={of} wrong={wrong} />
    </label>
  );
  const date = (name: 'from' | 'until', label: string) => (
    <label className={f.field}>
      {label}
      <input
        type="date"
        aria-invalid={name === 'until' && wrong === 'valid_until'}
        value={draft[name]}
        onChange={({ target }) => set({ ...draft, [name]: target.value })}
      />
      {name === 'until' ? <Wrong of="valid_until" wrong={wrong} /> : null}
    </label>
  );
  return (
    <>
      <div className={s.fields}>
        <label className={f.field}>
          {w.kind}
          <select
            value={draft.kind}
            onChange={({ target }) => set({ ...draft, kind: target.value === 'fixed' ? 'fixed' : 'percent' })}
          >
            <option value="percent">{w.percent}</option>
            <option value="fixed">{w.fixed}</option>
          </select>
        </label>
        {number('value', 'value', draft.kind === 'percent' ? w.percentOff : w.sumOff)}
        {draft.kind === 'percent' ? number('max', 'max_discount', w.max) : null}
        {number('min', 'min_sum', w.min)}
        {number('uses', 'uses', w.uses)}
        {number('perCustomer', 'uses_per_user', w.perCustomer)}
        {date('from', w.from)}
        {date('until', w.until)}
      </div>
      <ScopeFields draft={draft} set={set} wrong={wrong} />
    </>
  );
}

function ScopeFields({ draft, set, wrong }: Terms) {
  const groups = useQuery(productQueries.groups());
  const customers = useQuery(groupQuery());
  const toggle = (list: string[], one: string) =>
    list.includes(one) ? list.filter((other) => other !== one) : [...list, one];
  const boxes = (name: 'categories' | 'brands' | 'groups', label: string, all: [string, string][]) =>
    all.length === 0 ? null : (
      <fieldset className={s.choice}>
        <legend>{label}</legend>
        {all.map(([id, said]) => (
          <label key={id} className={d.check}>
            <input
              type="checkbox"
              checked={draft[name].includes(id)}
              onChange={() => set({ ...draft, [name]: toggle(draft[name], id) })}
            />
            {said}
          </label>
        ))}
      </fieldset>
    );
  const named = (list: { id: string; name: string }[] = []) =>
    list.map(({ id, name }): [string, string] => [id, name]);
  const names = [...new Set([...draft.groups, ...(customers.data?.results ?? []).map(({ name }) => name)])];
  return (
    <>
      <p className={d.quiet}>{w.scopeWhy}</p>
      {boxes('categories', w.categories, named(groups.data?.categories))}
      {boxes('brands', w.brands, named(groups.data?.brands))}
      <Products draft={draft} set={set} />
      <Wrong of="products" wrong={wrong} />
      {boxes(
        'groups',
        w.groups,
        names.map((name) => [name, name]),
      )}
      <Wrong of="groups" wrong={wrong} />
    </>
  );
}

/** Products by their articles. */
function Products({ draft, set }: Omit<Terms, 'wrong'>) {
  const [article, setArticle] = useState('');
  const [failed, setFailed] = useState('');
  const add = async () => {
    setFailed('');
    const found = await productOf(article.trim()).catch(() => undefined);
    if (!found) {
      setFailed(w.noSuchArticle);
      return;
    }
    const others = draft.products.filter(({ id }) => id !== found.id);
    set({ ...draft, products: [...others, { id: found.id, name: found.name }] });
    setArticle('');
  };
  return (
    <fieldset className={s.choice}>
      <legend>{w.products}</legend>
      {draft.products.map(({ id, name }) => (
        <span key={id} className={s.part}>
          {name}
          <Action
            aria-label={w.without(name)}
            onClick={() => set({ ...draft, products: draft.products.filter((one) => one.id !== id) })}
          >
            ×
          </Action>
        </span>
      ))}
      <label className={f.field}>
        {w.article}
        <input value={article} maxLength={64} onChange={({ target }) => setArticle(target.value)} />
      </label>
      <Action disabled={!article.trim()} onClick={() => void add()}>
        {w.add}
      </Action>
      <p role="alert" className={d.failed}>
        {failed}
      </p>
    </fieldset>
  );
}
