import type { ReactNode } from 'react';
import { type FieldPath, type UseFormReturn, useFieldArray } from 'react-hook-form';
import { Action, Section } from '../../parts/parts';
import { mostEntries, type SettingsForm } from './schema';
import s from './settings.module.css';
import { settingsTexts as w } from './texts/ru';

type Line = (name: FieldPath<SettingsForm>, label: string, required?: boolean, hint?: string) => ReactNode;

/** The menus of the header and the footer. */
export function Menus({ form, line }: { form: UseFormReturn<SettingsForm>; line: Line }) {
  return (
    <Section title={w.menus}>
      <p className={s.state}>{w.menusHint}</p>
      <Menu form={form} line={line} name="menu" title={w.menu} />
      <Menu form={form} line={line} name="footer_menu" title={w.footerMenu} />
    </Section>
  );
}

function Menu({
  form,
  line,
  name,
  title,
}: {
  form: UseFormReturn<SettingsForm>;
  line: Line;
  name: 'menu' | 'footer_menu';
  title: string;
}) {
  const entries = useFieldArray({ control: form.control, name });
  const last = entries.fields.length - 1;
  return (
    <fieldset className={s.holidays}>
      <legend>{title}</legend>
      {last < 0 ? <p>{w.noEntries}</p> : null}
      {entries.fields.map((entry, at) => {
        const said = `${title}, ${at + 1}`;
        return (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be the grid that its fields need
          <div key={entry.id} className={s.holiday} role="group" aria-label={said}>
            {line(`${name}.${at}.text.ru`, w.inRussian(w.entry), true)}
            {line(`${name}.${at}.text.kk`, w.inKazakh(w.entry))}
            {line(`${name}.${at}.address`, w.entryAddress, true)}
            <div className={s.actions}>
              <Action
                aria-label={`${w.up}: ${said}`}
                aria-disabled={at === 0}
                onClick={() => at > 0 && entries.swap(at, at - 1)}
              >
                {w.up}
              </Action>
              <Action
                aria-label={`${w.down}: ${said}`}
                aria-disabled={at === last}
                onClick={() => at < last && entries.swap(at, at + 1)}
              >
                {w.down}
              </Action>
              <Action aria-label={`${w.removeEntry}: ${said}`} onClick={() => entries.remove(at)}>
                {w.removeEntry}
              </Action>
            </div>
          </div>
        );
      })}
      <div className={s.actions}>
        {last + 1 < mostEntries ? (
          <Action onClick={() => entries.append({ text: { ru: '', kk: '' }, address: '' })}>
            {w.addEntry(title)}
          </Action>
        ) : null}
        {last < 0 ? null : <Action onClick={() => entries.replace([])}>{w.asStandard(title)}</Action>}
      </div>
    </fieldset>
  );
}
