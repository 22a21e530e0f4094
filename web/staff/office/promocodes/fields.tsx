import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import d from '../desk/desk.module.css';
import { productQueries } from '../products/queries';
import type { Draft } from './draft';
import s from './promocodes.module.css';
import { groupQuery, productOf } from './queries';
import { promocodeTexts as w } from './texts/ru';

/** What a code grants, and what and whom it is for. */
export function TermsFields({ draft, set }: { draft: Draft; set: (draft: Draft) => void }) {
  const number = (name: 'value' | 'max' | 'min' | 'uses' | 'perCustomer', label: string) => (
    <label className={f.field}>
      {label}
      <input
        inputMode="numeric"
        value={draft[name]}
        maxLength={10}
        onChange={({ target }) => set({ ...draft, [name]: target.value.replace(/\D/g, '') })}
      />
    </label>
  );
  const date = (name: 'from' | 'until', label: string) => (
    <label className={f.field}>
      {label}
      <input
        type="date"
        value={draft[name]}
        onChange={({ target }) => set({ ...draft, [name]: target.value })}
      />
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
        {number('value', draft.kind === 'percent' ? w.percentOff : w.sumOff)}
        {draft.kind === 'percent' ? number('max', w.max) : null}
        {number('min', w.min)}
        {number('uses', w.uses)}
        {number('perCustomer', w.perCustomer)}
        {date('from', w.from)}
        {date('until', w.until)}
      </div>
      <ScopeFields draft={draft} set={set} />
    </>
  );
}

function ScopeFields({ draft, set }: { draft: Draft; set: (draft: Draft) => void }) {
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
      {boxes(
        'groups',
        w.groups,
        names.map((name) => [name, name]),
      )}
    </>
  );
}

/** Products by their articles. */
function Products({ draft, set }: { draft: Draft; set: (draft: Draft) => void }) {
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
