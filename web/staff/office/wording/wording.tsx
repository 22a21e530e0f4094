import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import { Head, Loaded, Loading, Nothing, Section } from '../../parts/parts';
import { Present } from '../changes/present';
import { Publish } from '../content/publish';
import { proposalOf } from '../content/queries';
import { AsOf, Now, Still, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { deadMailTexts } from '../letters/texts/ru';
import type { Proposal } from '../products/changes';
import { sentLetterTexts } from '../texts/ru';
import { type Language, type Letter, type Sentence, wordingQueries } from './queries';
import { Sample } from './sample';
import { SentenceField } from './sentence';
import { wordingTexts as w } from './texts/ru';
import s from './wording.module.css';
import { wrong } from './wrong';

const nameOf = (kind: string): string =>
  ({ ...sentLetterTexts.kinds, ...deadMailTexts.kinds })[kind as keyof typeof deadMailTexts.kinds] ?? kind;

const columns = (then: Then): Column<Letter>[] => [
  {
    key: 'letter',
    title: w.letter,
    head: true,
    cell: ({ kind }) => <Link to={then(`/admin/content/letters/${kind}`)}>{nameOf(kind)}</Link>,
  },
  { key: 'state', title: w.state, cell: ({ changed }) => (changed ? w.changed : w.asIs) },
];

/** Every letter to shoppers, and whether staff changed what it says. */
export function LetterList() {
  const then = useThen();
  const found = useQuery(wordingQueries.letters(useAt()));
  return (
    <Section title={w.title}>
      <p className={d.quiet}>{w.lead}</p>
      <Loaded query={found} what={w.title} loading={<Loading rows={6} height={56} />}>
        {({ results }) => (
          <Table
            caption={w.title}
            columns={columns(then)}
            rows={results}
            rowKey={({ kind }) => kind}
            empty={<Nothing title={w.none} />}
            cards
          />
        )}
      </Loaded>
    </Section>
  );
}

/** What one letter says, in both languages, beside a sample that follows what is typed. */
export function LetterPage() {
  const { kind = '' } = useParams();
  const at = useAt();
  const then = useThen();
  const found = useQuery(wordingQueries.letters(at));
  return (
    <>
      <Head title={nameOf(kind)}>
        <Link to={then('/admin/content')}>{w.all}</Link>
      </Head>
      <AsOf />
      <Loaded query={found} what={w.title} loading={<Loading rows={4} height={120} />}>
        {({ results }) => {
          const letter = results.find((one) => one.kind === kind);
          return letter ? <Editor key={`${kind} ${at}`} letter={letter} /> : <Nothing title={w.noSuch} />;
        }}
      </Loaded>
    </>
  );
}

type Written = Record<string, string>;

/** The texts in force by their blocks. */
const inForce = ({ texts }: Letter): Written =>
  Object.fromEntries(
    texts.flatMap(({ ru, kk }) => [ru, kk].map(({ block, own, text }) => [block, text || own])),
  );

/** What a text is kept as: the program's own one is kept as none. */
const kept = (typed: string, own: string): string => (typed.trim() === own ? '' : typed.trim());

function Editor({ letter: now }: { letter: Letter }) {
  const client = useQueryClient();
  // What the editor began with: what others save meanwhile is not taken for something that was changed here.
  const [letter, setLetter] = useState(now);
  const [written, setWritten] = useState(() => inForce(now));
  const [language, setLanguage] = useState<Language>('ru');
  const [about, setAbout] = useState('');
  const beginAnew = () => {
    const next = client
      .getQueryData(wordingQueries.letters().queryKey)
      ?.results.find(({ kind }) => kind === letter.kind);
    if (!next) return;
    setLetter(next);
    setWritten(inForce(next));
  };
  const typed = (sentence: Sentence, of: Language) => written[sentence[of].block] ?? '';
  const items: Proposal['items'] = letter.texts.flatMap((sentence) =>
    (['ru', 'kk'] as const).flatMap((of) => {
      const { block, own, text } = sentence[of];
      const next = kept(typed(sentence, of), own);
      return next === text ? [] : [{ thing: 'content', id: block, field: 'text', was: text, now: next }];
    }),
  );
  const faults = (of: Language) =>
    letter.texts.some((sentence) => wrong(sentence, typed(sentence, of)) !== '');
  return (
    <>
      <Now>
        <Present thing="content" id={(letter.texts[0] as Sentence).ru.block} editing={items.length > 0} />
      </Now>
      <fieldset className={s.languages}>
        <legend>{w.language}</legend>
        {(['ru', 'kk'] as const).map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="language"
              checked={language === one}
              onChange={() => setLanguage(one)}
            />
            {one === 'ru' ? w.russian : w.kazakh}
          </label>
        ))}
      </fieldset>
      <div className={s.desk}>
        <Still name={nameOf(letter.kind)}>
          <div className={s.texts}>
            {letter.texts.map((sentence) => (
              <SentenceField
                key={sentence[language].block}
                sentence={sentence}
                language={language}
                value={typed(sentence, language)}
                change={(next) => setWritten((all) => ({ ...all, [sentence[language].block]: next }))}
                begin={() => setAbout(sentence.name)}
              />
            ))}
          </div>
        </Still>
        <Sample
          wanted={{
            kind: letter.kind,
            language,
            text: about,
            texts: Object.fromEntries(
              letter.texts.map((sentence) => [
                sentence.name,
                kept(typed(sentence, language), sentence[language].own),
              ]),
            ),
          }}
          ready={!faults(language)}
        />
      </div>
      <Now>
        <Publish
          disabled={items.length === 0 || faults('ru') || faults('kk')}
          proposal={(at) => proposalOf(w.changeOf(nameOf(letter.kind)), items, at)}
          published={beginAnew}
          onSite={false}
        />
      </Now>
    </>
  );
}
