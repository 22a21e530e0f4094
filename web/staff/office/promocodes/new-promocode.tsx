import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import t from '../../../kit/table/table.module.css';
import f from '../../parts/field.module.css';
import { Action, Head, Section } from '../../parts/parts';
import { save } from '../../parts/save';
import { Ask } from '../changes/effect';
import d from '../desk/desk.module.css';
import { emptyDraft, isCode, isWhole, termsOf } from './draft';
import { TermsFields } from './fields';
import s from './promocodes.module.css';
import { ProposeForm } from './propose';
import { issue, makeSeries, measureTerms } from './queries';
import { promocodeTexts as w } from './texts/ru';

/** Makes a promo code, or a series of them. */
export function NewPromocode() {
  const [draft, setDraft] = useState(emptyDraft);
  const [series, setSeries] = useState(false);
  const [code, setCode] = useState('');
  const [number, setNumber] = useState('100');
  const [issued, setIssued] = useState<string[]>([]);
  const named = series ? Number(number) >= 1 && Number(number) <= 10_000 : isCode(code);
  const badCode = !series && code.trim() !== '' && !isCode(code);
  const make = async (reason: string) => {
    const prefix = code.trim().toUpperCase();
    if (!series) return issue(w.issueTitle(prefix), [prefix], termsOf(draft), reason);
    const { codes } = await makeSeries(prefix, Number(number));
    const terms = termsOf({ ...draft, uses: draft.uses || '1' });
    return issue(w.seriesTitle(prefix, codes.length), codes, terms, reason);
  };
  return (
    <>
      <Head title={w.make} lead={w.makeLead}>
        <Link className={t.link} to="/admin/promocodes">
          {w.list}
        </Link>
      </Head>
      <ProposeForm
        make={make}
        ready={named && isWhole(draft)}
        button={series ? w.issueSeries : w.issue}
        done={({ items }) => setIssued(series ? items.map(({ id }) => id) : [])}
      >
        {(wrong) => (
          <>
            <div className={s.fields}>
              <label className={f.field}>
                {w.howMany}
                <select
                  value={series ? 'series' : 'one'}
                  onChange={({ target }) => setSeries(target.value === 'series')}
                >
                  <option value="one">{w.one}</option>
                  <option value="series">{w.series}</option>
                </select>
              </label>
              <label className={f.field}>
                {series ? w.prefix : w.code}
                <input
                  value={code}
                  maxLength={series ? 20 : 64}
                  aria-invalid={badCode}
                  onChange={({ target }) => setCode(target.value)}
                />
                {badCode ? (
                  <span className={d.failed} role="alert">
                    {w.badCode}
                  </span>
                ) : null}
              </label>
              {series ? (
                <label className={f.field}>
                  {w.number}
                  <input
                    inputMode="numeric"
                    value={number}
                    maxLength={5}
                    onChange={({ target }) => setNumber(target.value.replace(/\D/g, ''))}
                  />
                </label>
              ) : null}
            </div>
            <TermsFields draft={draft} set={setDraft} wrong={wrong} />
          </>
        )}
      </ProposeForm>
      {issued.length > 0 ? (
        <p>
          <Action onClick={() => save('promocodes.csv', ['code', ...issued].join('\r\n'), 'text/csv')}>
            {w.csv(issued.length)}
          </Action>
        </p>
      ) : null}
      <Section title={w.effect}>
        <p>{w.effectWhy}</p>
        <Ask ask={(days) => measureTerms(termsOf(draft), days)} />
      </Section>
    </>
  );
}
