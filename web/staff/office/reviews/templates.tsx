import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action, Head, Loaded, Loading, Nothing, Section } from '../../parts/parts';
import { AsOf, Now, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { keepTemplates, type ReplyTemplate, reviewQueries } from './queries';
import { reviewTexts as w } from './texts/ru';

/** The texts that reviews are answered with. All of the staff who answer share them. */
export function Templates() {
  const then = useThen();
  const found = useQuery(reviewQueries.templates(useAt()));
  return (
    <>
      <Head title={w.templates} lead={w.templatesLead}>
        <Link className={t.link} to={then('/admin/reviews')}>
          {w.toReviews}
        </Link>
      </Head>
      <AsOf />
      <Loaded query={found} what={w.templates} loading={<Loading rows={3} height={96} />}>
        {({ templates }) => <Kept templates={templates} />}
      </Loaded>
    </>
  );
}

function Kept({ templates }: { templates: ReplyTemplate[] }) {
  const client = useQueryClient();
  const [failed, setFailed] = useState('');
  const keep = async (all: ReplyTemplate[]) => {
    setFailed('');
    try {
      await keepTemplates(all);
      await client.invalidateQueries(reviewQueries.templates());
      return true;
    } catch (error) {
      setFailed(words(error));
      return false;
    }
  };
  const add = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const said = new FormData(form);
    const name = String(said.get('name')).trim();
    const text = String(said.get('text')).trim();
    // One of the same name is replaced.
    const others = templates.filter((one) => one.name.toLowerCase() !== name.toLowerCase());
    if (await keep([...others, { name, text }])) form.reset();
  };
  return (
    <>
      {templates.length === 0 ? <Nothing title={w.noTemplates}>{w.noTemplatesWhy}</Nothing> : null}
      <ul className={d.list} aria-label={w.templates}>
        {templates.map((one) => (
          <li key={one.name}>
            <b>{one.name}</b>
            <p className={d.text}>{one.text}</p>
            <Now>
              <Action
                aria-label={w.removeTemplate(one.name)}
                onClick={() => keep(templates.filter(({ name }) => name !== one.name))}
              >
                {w.remove}
              </Action>
            </Now>
          </li>
        ))}
      </ul>
      <Now>
        <Section title={w.newTemplate}>
          <form className={d.form} onSubmit={add}>
            <label className={f.field}>
              {w.templateName}
              <input name="name" required maxLength={60} />
            </label>
            <label className={f.field}>
              {w.templateText}
              <textarea name="text" required rows={4} maxLength={2000} aria-describedby="template-hint" />
            </label>
            <p id="template-hint" className={d.quiet}>
              {w.templateHint}
            </p>
            <p role="alert" className={d.failed}>
              {failed}
            </p>
            <div>
              <Action type="submit" kind="strong">
                {w.keep}
              </Action>
            </div>
          </form>
        </Section>
      </Now>
    </>
  );
}
