import { useQuery } from '@tanstack/react-query';
import { type SyntheticEvent, useState } from 'react';
import { Problem } from '../../../kit/api/problem';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import t from '../../../kit/table/table.module.css';
import f from '../../parts/field.module.css';
import { count } from '../../parts/format';
import { Head, Loaded, Loading, Nothing } from '../../parts/parts';
import { useFilters } from '../desk/address';
import d from '../desk/desk.module.css';
import { titleOf } from './changes';
import s from './preview.module.css';
import { type ChangeSheet, changeQueries, pageOf, previewOf, type TouchedPage } from './queries';
import { changeTexts, previewTexts as w } from './texts/ru';

const devices = ['desktop', 'phone'] as const;
const languages = ['ru', 'kk'] as const;
const chosen = <T extends string>(all: readonly T[], text: string): T =>
  all.find((one) => one === text) ?? (all[0] as T);

/** The pages of the storefront as they would be with a change that is still to come. */
export function ChangePreview() {
  const { id = '' } = useParams();
  const found = useQuery(changeQueries.one(id, 0, ''));
  const touched = useQuery(changeQueries.pages(id));
  if (touched.error instanceof Problem && touched.error.status < 500)
    return (
      <>
        <Head title={w.title}>
          <Link className={t.link} to={`/admin/changes/${id}`}>
            {w.back}
          </Link>
        </Head>
        <Nothing title={touched.error.status === 409 ? w.over : changeTexts.noSuch} />
      </>
    );
  return (
    <Loaded query={found} what={changeTexts.change} loading={<Loading rows={2} height={96} />}>
      {(sheet) => (
        <Loaded query={touched} what={w.what} loading={<Loading rows={4} height={96} />}>
          {({ results, left }) => <Frame sheet={sheet} pages={results} left={left} />}
        </Loaded>
      )}
    </Loaded>
  );
}

function Frame({ sheet, pages, left }: { sheet: ChangeSheet; pages: TouchedPage[]; left: number }) {
  const { value, narrow } = useFilters();
  const device = chosen(devices, value('device'));
  const language = chosen(languages, value('language'));
  const path = value('page') || pages[0]?.path || '/';
  const [shown, setShown] = useState(path);
  // Links lead on inside of the frame; the frame is of this shop, so it says where it came to.
  const loaded = ({ currentTarget }: SyntheticEvent<HTMLIFrameElement>) =>
    setShown(pageOf(currentTarget.contentWindow?.location.search ?? '') || path);
  const known = pages.some((page) => page.path === path)
    ? pages
    : [{ kind: 'other' as const, path, name: path }, ...pages];
  return (
    <>
      <Head title={w.of(titleOf(sheet))} lead={w.lead}>
        <Link className={t.link} to={`/admin/changes/${sheet.id}`}>
          {w.back}
        </Link>
      </Head>
      <search className={d.filters}>
        <label className={f.field}>
          {w.page}
          <select value={path} onChange={({ target }) => narrow('page', target.value)}>
            {known.map((page) => (
              <option key={page.path} value={page.path}>
                {nameOf(page)}
              </option>
            ))}
          </select>
        </label>
        <label className={f.field}>
          {w.device}
          <select value={device} onChange={({ target }) => narrow('device', target.value)}>
            {devices.map((one) => (
              <option key={one} value={one}>
                {w.devices[one]}
              </option>
            ))}
          </select>
        </label>
        <label className={f.field}>
          {w.language}
          <select value={language} onChange={({ target }) => narrow('language', target.value)}>
            {languages.map((one) => (
              <option key={one} value={one}>
                {w.languages[one]}
              </option>
            ))}
          </select>
        </label>
      </search>
      {left > 0 ? <p className={s.left}>{w.left(count(left))}</p> : null}
      <p className={s.banner} role="status">
        <strong>{w.of(titleOf(sheet))}</strong> {w.banner} <span className={s.address}>{shown}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls to what is wider than the screen */}
      <section className={s.stage} data-device={device} tabIndex={0} aria-label={w.what}>
        <iframe
          key={`${path} ${language}`}
          className={s.frame}
          title={w.of(titleOf(sheet))}
          sandbox="allow-same-origin"
          src={previewOf(sheet.id, path, language)}
          onLoad={loaded}
        />
      </section>
    </>
  );
}

/** What a page is called in the list. */
function nameOf({
  kind,
  name,
  path,
}: {
  kind: TouchedPage['kind'] | 'other';
  name: string;
  path: string;
}): string {
  if (kind === 'other') return path;
  if (kind === 'document') return name === 'privacy' ? w.privacy : w.offer;
  return name ? `${w.kinds[kind]}: ${name}` : w.kinds[kind];
}
