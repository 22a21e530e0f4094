import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Problem } from '../../../kit/api/problem';
import { Checkbox } from '../../../kit/design/checkbox';
import { FormError } from '../../../kit/design/field';
import { Link } from '../../../kit/design/link';
import { FormField } from '../../../kit/form/form-field';
import { useNavigate, useParams } from '../../../kit/router/router';
import { words } from '../../api/client';
import { useMay } from '../../me';
import { count } from '../../parts/format';
import { Action, Head, Loaded, Loading, Section } from '../../parts/parts';
import { resultsOf, useMerging } from '../changes/merge';
import { Present } from '../changes/present';
import { AsOf, useAt } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { previewOf } from './changes';
import { UnknownNames } from './composition';
import { Pictures } from './pictures';
import s from './products.module.css';
import { type ProductGroups, productQueries } from './queries';
import {
  changesOf,
  formOf,
  kazakhFields,
  measures,
  type ProductSheet,
  type SheetForm,
  type SheetValues,
  sheetOf,
  sheetSchema,
  textFields,
} from './sheet';
import { goodsTexts as g, editorTexts as w } from './texts/ru';

/** One product, with all that can be changed of it. */
export function ProductPage() {
  // It outlives the editor, which begins anew with what was saved.
  const [told, tell] = useState<Told>();
  const { article = '' } = useParams();
  const at = useAt();
  const groups = useQuery(productQueries.groups(at));
  const sheet = useQuery({
    queryKey: ['office', 'product', article, at],
    queryFn: ({ signal }) => sheetOf(article, at, signal),
    // What somebody types must not be taken away by a later look.
    refetchOnWindowFocus: false,
  });
  if (at && sheet.error instanceof Problem && sheet.error.status === 404) {
    return (
      <>
        <Head title={w.notThen} />
        <AsOf />
      </>
    );
  }
  return (
    <Loaded query={groups} what={w.what} loading={<Loading rows={8} height={56} />}>
      {(known) => (
        <Loaded query={sheet} what={w.what} loading={<Loading rows={8} height={56} />}>
          {(product) => (
            <Editor
              key={`${product.id} ${product.version} ${at}`}
              past={at !== ''}
              sheet={product}
              groups={known}
              told={told}
              tell={tell}
              saved={() => sheet.refetch()}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
}

/** What was said of the last save, the change that it was, and whether that is still to come. */
type Told = { text: string; change?: string; waits?: boolean };

const long = new Set<string>(['description', 'composition', 'apply_method', 'expires']);

function Editor({
  sheet,
  past,
  groups,
  told,
  tell,
  saved,
}: {
  sheet: ProductSheet;
  /** It is shown as it was: nothing can be changed. */
  past: boolean;
  groups: ProductGroups;
  told: Told | undefined;
  tell: (told: Told | undefined) => void;
  saved: () => unknown;
}) {
  const may = useMay('catalog.change') && !past;
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<SheetForm, unknown, SheetValues>({
    resolver: zodResolver(sheetSchema),
    defaultValues: formOf(sheet),
  });
  // The composition is looked at when it has been typed.
  const [checked, setChecked] = useState(sheet.composition);
  const pictures = form.watch('pictures');
  const marks = form.watch('marks');
  const { merge, dialog } = useMerging();
  const send = async (values: SheetValues, draft: boolean) => {
    const items = changesOf(sheet, values);
    tell(undefined);
    if (items.length === 0) return tell({ text: w.nothing });
    try {
      const accepted = await merge({
        title: w.changeTitle(sheet.article),
        items,
        ...(draft ? { draft } : {}),
      });
      if (draft && accepted?.id) return navigate(previewOf(accepted.id));
      const waits = accepted?.status === 'waiting';
      if (accepted) tell({ text: waits ? w.waits : w.saved(items.length), change: accepted.id, waits });
      else tell({ text: w.nothing });
      await saved();
      await client.invalidateQueries({ queryKey: ['office', 'products'] });
    } catch (error) {
      form.setError('root', { message: words(error) });
      resultsOf(error).forEach(({ code, detail }, n) => {
        const field = items[n]?.field;
        if (code && field) form.setError(field as keyof SheetForm, { message: detail ?? code });
      });
    }
  };
  const input = (name: (typeof textFields)[number] | `kazakh.${(typeof kazakhFields)[number]}`) => {
    const field = name.replace('kazakh.', '') as keyof typeof w.fields;
    return (
      <FormField
        key={name}
        form={form}
        name={name}
        label={name.startsWith('kazakh.') ? w.inKazakh(w.fields[field]) : w.fields[field]}
        required={name === 'name'}
      >
        {(tied) =>
          long.has(field) ? (
            <textarea
              rows={5}
              lang={name.startsWith('kazakh.') ? 'kk' : undefined}
              {...tied}
              onBlur={(event) => {
                void tied.onBlur(event);
                if (name === 'composition') setChecked(event.target.value);
              }}
            />
          ) : (
            <input lang={name.startsWith('kazakh.') ? 'kk' : undefined} {...tied} />
          )
        }
      </FormField>
    );
  };
  const number = (
    name: 'price' | 'discounted_price' | 'cost' | `measure.${(typeof measures)[number]}`,
    label: string,
  ) => (
    <FormField form={form} name={name} label={label} required={name === 'price'}>
      {(tied) => <input inputMode="numeric" {...tied} />}
    </FormField>
  );
  return (
    <>
      <Head
        title={sheet.name}
        lead={`${sheet.article} · ${w.stock(count(sheet.on_hand), count(sheet.available))}`}
      >
        <Link to={`/product/${sheet.link}`}>{w.page}</Link>
        <Link to={`/admin/stock?product=${sheet.id}`}>{w.ledger}</Link>
        {may ? (
          <Link to={`/admin/products/new?from=${encodeURIComponent(sheet.article)}`}>{w.duplicate}</Link>
        ) : null}
      </Head>
      <AsOf />
      {past ? null : <Present thing="product" id={sheet.id} editing={may && form.formState.isDirty} />}
      {dialog}
      <form onSubmit={form.handleSubmit((values) => send(values, false))} noValidate>
        <fieldset className={s.editor} disabled={!may}>
          <legend className={s.legend}>{w.what}</legend>
          <Section title={w.sale}>
            <div className={s.fields}>
              {number('price', g.price)}
              {number('discounted_price', g.discounted)}
              {sheet.cost === null ? null : number('cost', w.cost)}
              <FormField form={form} name="category_id" label={g.category}>
                {(tied) => (
                  <select {...tied} value={form.watch('category_id')}>
                    <option value="">—</option>
                    {named(groups.categories, sheet.category_id)}
                  </select>
                )}
              </FormField>
              <FormField form={form} name="brand_id" label={g.brand} required={false}>
                {(tied) => (
                  <select {...tied} value={form.watch('brand_id')}>
                    <option value="">{g.noBrand}</option>
                    {named(groups.brands, sheet.brand_id)}
                  </select>
                )}
              </FormField>
              <Checkbox label={w.archived} {...form.register('archived')} />
            </div>
            <fieldset className={s.marks}>
              <legend>{g.marks}</legend>
              {groups.marks
                .filter(({ id, archived }) => !archived || marks.includes(id))
                .map(({ id, name }) => (
                  <Checkbox
                    key={id}
                    label={name}
                    checked={marks.includes(id)}
                    onChange={({ target }) =>
                      form.setValue(
                        'marks',
                        target.checked ? [...marks, id] : marks.filter((one) => one !== id),
                      )
                    }
                  />
                ))}
            </fieldset>
          </Section>
          <Section title={w.texts}>
            <div className={s.languages}>
              <div>
                {textFields.map((name) => (
                  <Fragment key={name}>
                    {input(name)}
                    {name === 'composition' ? (
                      <UnknownNames
                        composition={checked}
                        product={sheet.id}
                        change={(next) => {
                          form.setValue('composition', next, { shouldDirty: true });
                          setChecked(next);
                        }}
                      />
                    ) : null}
                  </Fragment>
                ))}
              </div>
              <div>{kazakhFields.map((field) => input(`kazakh.${field}`))}</div>
            </div>
          </Section>
          <Section title={w.pictures}>
            <Pictures
              article={sheet.article}
              pictures={pictures}
              change={(next) => form.setValue('pictures', next, { shouldDirty: true })}
            />
          </Section>
          <Section title={w.warehouse}>
            <div className={s.fields}>
              <FormField form={form} name="gtin" label={w.gtin} hint={w.gtinHint} required={false}>
                {(tied) => <input inputMode="numeric" {...tied} />}
              </FormField>
              <FormField form={form} name="shelf" label={g.shelf} required={false}>
                {(tied) => <input {...tied} />}
              </FormField>
              <FormField form={form} name="low_line" label={g.lowLine} hint={w.lowLineHint} required={false}>
                {(tied) => <input inputMode="numeric" {...tied} />}
              </FormField>
              {measures.map((one) => (
                <div key={one}>{number(`measure.${one}`, w.measures[one])}</div>
              ))}
            </div>
          </Section>
        </fieldset>
        <FormError>{form.formState.errors.root?.message}</FormError>
        <p role="status" className={d.told}>
          {told ? told.text : ''}
          {told?.change ? (
            <>
              {' '}
              <Link to={`/admin/changes/${told.change}`}>{w.change}</Link>
              {told.waits ? (
                <>
                  {' '}
                  <Link to={previewOf(told.change)}>{w.preview}</Link>
                </>
              ) : null}
            </>
          ) : null}
        </p>
        {may ? (
          <div className={s.save}>
            <Action type="submit" kind="strong" aria-disabled={form.formState.isSubmitting}>
              {w.save}
            </Action>
            <Action
              disabled={form.formState.isSubmitting}
              onClick={form.handleSubmit((values) => send(values, true))}
            >
              {w.lookFirst}
            </Action>
            <Action onClick={() => form.reset(formOf(sheet))}>{w.revert}</Action>
          </div>
        ) : null}
      </form>
    </>
  );
}

/** Options of what is not archived, and of what the product has. */
const named = (among: ProductGroups['brands'], has: string | null) =>
  among
    .filter(({ id, archived }) => !archived || id === has)
    .map(({ id, name }) => (
      <option key={id} value={id}>
        {name}
      </option>
    ));
