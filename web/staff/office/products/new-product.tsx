import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Problem } from '../../../kit/api/problem';
import { FormError } from '../../../kit/design/field';
import { FormField } from '../../../kit/form/form-field';
import { useNavigate, useSearchParams } from '../../../kit/router/router';
import { words } from '../../api/client';
import { Action, Head, Loaded } from '../../parts/parts';
import d from '../desk/desk.module.css';
import { type ProductGroups, productQueries } from './queries';
import { addProduct, type ProductSheet, sheetOf } from './sheet';
import { goodsTexts as g, editorTexts as w } from './texts/ru';

const needed = (most: number) =>
  z.string().check(z.trim(), z.minLength(1, { error: () => w.needed }), z.maxLength(most));
const schema = z.object({
  article: needed(100),
  link: z.string().check(z.trim(), z.regex(/^[a-z0-9_-]{0,200}$/, { error: () => w.badLink })),
  name: needed(500),
  category_id: needed(100),
  brand_id: z.string(),
  price: z.string().check(z.trim(), z.regex(/^[1-9]\d{0,9}$/, { error: () => w.bounds(1, 1_000_000_000) })),
});
type Form = z.infer<typeof schema>;

/** A product that the shop does not have yet, or a copy of one that it has. */
export function NewProduct() {
  const [address] = useSearchParams();
  const from = address.get('from') ?? '';
  const groups = useQuery(productQueries.groups());
  const original = useQuery({
    queryKey: ['office', 'product', from],
    queryFn: ({ signal }) => sheetOf(from, '', signal),
    enabled: from !== '',
  });
  return (
    <>
      <Head title={from ? w.copyOf(from) : g.add} lead={w.newLead} />
      <Loaded query={groups} what={w.what}>
        {(known) =>
          from && !original.data ? (
            <Loaded query={original} what={w.what}>
              {() => null}
            </Loaded>
          ) : (
            <Begin groups={known} original={original.data} />
          )
        }
      </Loaded>
    </>
  );
}

function Begin({ groups, original }: { groups: ProductGroups; original: ProductSheet | undefined }) {
  const navigate = useNavigate();
  const form = useForm<Form>({
    resolver: zodResolver(schema),
    defaultValues: {
      article: '',
      link: '',
      name: original?.name ?? '',
      category_id: original?.category_id ?? '',
      brand_id: original?.brand_id ?? '',
      price: original ? String(original.price) : '',
    },
  });
  const add = form.handleSubmit(async ({ brand_id, price, ...rest }) => {
    try {
      const { article } = await addProduct({
        ...rest,
        price: Number(price),
        brand_id: brand_id || null,
        copy_of: original?.id ?? null,
      });
      navigate(`/admin/products/${encodeURIComponent(article)}`);
    } catch (error) {
      if (error instanceof Problem) {
        for (const [field, said] of Object.entries(error.fields))
          form.setError(field as keyof Form, { message: String(said) });
      }
      form.setError('root', { message: words(error) });
    }
  });
  const text = (name: 'article' | 'link' | 'name' | 'price', label: string, hint?: string) => (
    <FormField form={form} name={name} label={label} required={name !== 'link'} {...(hint ? { hint } : {})}>
      {(tied) => <input autoComplete="off" inputMode={name === 'price' ? 'numeric' : undefined} {...tied} />}
    </FormField>
  );
  const choice = (
    name: 'category_id' | 'brand_id',
    label: string,
    none: string,
    among: ProductGroups['brands'],
  ) => (
    <FormField form={form} name={name} label={label} required={name === 'category_id'}>
      {(tied) => (
        <select {...tied}>
          <option value="">{none}</option>
          {among
            .filter(({ archived }) => !archived)
            .map(({ id, name: called }) => (
              <option key={id} value={id}>
                {called}
              </option>
            ))}
        </select>
      )}
    </FormField>
  );
  return (
    <form className={d.form} onSubmit={add} noValidate>
      {text('article', g.article)}
      {text('name', g.name)}
      {text('link', w.link, w.linkHint)}
      {choice('category_id', g.category, '—', groups.categories)}
      {choice('brand_id', g.brand, g.noBrand, groups.brands)}
      {text('price', g.price)}
      <FormError>{form.formState.errors.root?.message}</FormError>
      <div className={d.actions}>
        <Action type="submit" kind="strong" aria-disabled={form.formState.isSubmitting}>
          {g.add}
        </Action>
      </div>
    </form>
  );
}
