import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from '../../../kit/design/link';
import { useParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import f from '../../parts/field.module.css';
import { Head, Loaded, Loading, Nothing, Section } from '../../parts/parts';
import { Present } from '../changes/present';
import { AsOf, Now, Still, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import type { Proposal } from '../products/changes';
import { same, type Value } from '../products/fields';
import { LetterList } from '../wording/wording';
import { DocumentEditor } from './document';
import { Publish } from './publish';
import { type Block, contentQueries, type EditedDocument, kazakh, pageOf, proposalOf } from './queries';
import { Slides } from './slides';
import { contentTexts as w } from './texts/ru';
import { Writing } from './writing';

const nameOf = (name: string): string => w.names[pageOf(name) as keyof typeof w.names] ?? name;

/** What the shop says beside its goods: slides, texts, pages and documents. */
export function ContentDesk() {
  const then = useThen();
  const found = useQuery(contentQueries.blocks(useAt()));
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        <Link to={then('/admin/blog')}>{w.blog}</Link>
        <Link to={then('/admin/settings')}>{w.settings}</Link>
      </Head>
      <AsOf />
      <Loaded query={found} what={w.title} loading={<Loading rows={6} height={56} />}>
        {({ results, documents }) => (
          <>
            <Table
              caption={w.title}
              columns={columns(results, then)}
              rows={results.filter(({ name }) => !name.endsWith(kazakh))}
              rowKey={({ name }) => name}
              empty={<Nothing title={w.none} />}
              cards
            />
            <Section title={w.documents}>
              <Table
                caption={w.documents}
                columns={ofDocuments(then)}
                rows={documents}
                rowKey={({ name }) => name}
                empty={<Nothing title={w.none} />}
                cards
              />
            </Section>
          </>
        )}
      </Loaded>
      <LetterList />
    </>
  );
}

const columns = (all: Block[], then: Then): Column<Block>[] => [
  {
    key: 'name',
    title: w.name,
    head: true,
    cell: ({ name }) => <Link to={then(`/admin/content/${name}`)}>{nameOf(name)}</Link>,
  },
  { key: 'kind', title: w.kind, cell: ({ kind }) => w.kinds[kind] },
  { key: 'ru', title: w.russian, cell: (block) => stateOf(block) },
  {
    key: 'kk',
    title: w.kazakh,
    cell: ({ name }) => stateOf(all.find((one) => one.name === name + kazakh)),
  },
];

const ofDocuments = (then: Then): Column<EditedDocument>[] => [
  {
    key: 'name',
    title: w.document,
    head: true,
    cell: ({ name }) => <Link to={then(`/admin/content/${name}`)}>{nameOf(name)}</Link>,
  },
  {
    key: 'version',
    title: w.version,
    cell: ({ text, version }) => (text ? version : w.byDefault),
  },
  { key: 'kk', title: w.kazakh, cell: ({ text }) => (text?.kk.title ? w.own : '—') },
];

const stateOf = (block: Block | undefined) => {
  if (!block) return '—';
  if (block.kind === 'slides') return w.slides(block.slides.length);
  return block.text ? w.own : block.default ? w.byDefault : w.empty;
};

/** One block, in both languages if it is a page. */
export function ContentPage() {
  const { name = '' } = useParams();
  const at = useAt();
  const then = useThen();
  const found = useQuery(contentQueries.blocks(at));
  return (
    <>
      <Head title={nameOf(name)}>
        <Link to={then('/admin/content')}>{w.all}</Link>
        {w.addresses[name as keyof typeof w.addresses] ? (
          <Link to={w.addresses[name as keyof typeof w.addresses]}>{w.open}</Link>
        ) : null}
      </Head>
      <AsOf />
      <Loaded query={found} what={w.title} loading={<Loading rows={4} height={120} />}>
        {({ results, documents }) => {
          const document = documents.find((one) => one.name === name);
          if (document) return <DocumentEditor key={`${document.version} ${at}`} document={document} />;
          const mine = results.filter((one) => pageOf(one.name) === name);
          return mine.length > 0 ? (
            <Editor key={`${name} ${at}`} blocks={mine} />
          ) : (
            <Nothing title={w.noSuch} />
          );
        }}
      </Loaded>
    </>
  );
}

type Items = Proposal['items'];
type Written = Pick<Block, 'text' | 'slides'>;

const asWritten = (blocks: Block[]): Record<string, Written> =>
  Object.fromEntries(blocks.map(({ name, text, slides }) => [name, { text, slides }]));

function Editor({ blocks: now }: { blocks: Block[] }) {
  const client = useQueryClient();
  // What the editor began with: what others save meanwhile is not taken for something that was changed here.
  const [blocks, setBlocks] = useState(now);
  const [written, setWritten] = useState(() => asWritten(now));
  const beginAnew = () => {
    const next = client
      .getQueryData(contentQueries.blocks().queryKey)
      ?.results.filter(({ name }) => blocks.some((block) => block.name === name));
    if (!next) return;
    setBlocks(next);
    setWritten(asWritten(next));
  };
  const put = (name: string, part: Partial<Written>) =>
    setWritten((all) => ({ ...all, [name]: { ...(all[name] as Written), ...part } }));
  const items: Items = blocks.flatMap(({ name, kind, text, slides }): Items => {
    const now = written[name] as Written;
    const thing = { thing: 'content', id: name };
    if (kind === 'slides')
      return JSON.stringify(now.slides) === JSON.stringify(slides)
        ? []
        : [{ ...thing, field: 'slides', was: slides, now: now.slides }];
    const field = kind === 'text' ? 'text' : 'source';
    return same(now.text as Value, text as Value) ? [] : [{ ...thing, field, was: text, now: now.text }];
  });
  const past = useAt() !== '';
  const first = blocks[0] as Block;
  return (
    <>
      <Now>
        <Present thing="content" id={first.name} editing={items.length > 0} />
      </Now>
      {blocks.map(({ name, kind, default: fallback }) => {
        const { text, slides } = written[name] as Written;
        if (kind === 'slides')
          return (
            <Still key={name} name={nameOf(name)}>
              <Slides slides={slides} change={(next) => put(name, { slides: next })} />
            </Still>
          );
        if (kind === 'text')
          return (
            <label key={name} className={f.field}>
              {w.text}
              <textarea
                rows={4}
                readOnly={past}
                value={text}
                aria-describedby="placeholders"
                onChange={({ target }) => put(name, { text: target.value })}
              />
            </label>
          );
        const inKazakh = name.endsWith(kazakh);
        return (
          <Writing
            key={name}
            label={inKazakh ? w.kazakh : w.russian}
            lang={inKazakh ? 'kk' : 'ru'}
            value={text}
            fallback={fallback}
            change={(next) => put(name, { text: next })}
          />
        );
      })}
      {w.arranged[first.name as keyof typeof w.arranged] ? (
        <p className={d.quiet}>{w.arranged[first.name as keyof typeof w.arranged]}</p>
      ) : null}
      {first.kind === 'slides' ? null : (
        <p id="placeholders" className={d.quiet}>
          {w.placeholders}
        </p>
      )}
      <Now>
        <Publish
          disabled={items.length === 0}
          proposal={(at) => proposalOf(w.changeOf(nameOf(first.name)), items, at)}
          published={beginAnew}
        />
      </Now>
    </>
  );
}
