import { zodResolver } from '@hookform/resolvers/zod';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import * as z from 'zod/mini';
import { Link } from '../../../kit/design/link';
import { FormField } from '../../../kit/form/form-field';
import { useParams } from '../../../kit/router/router';
import { type Column, Table } from '../../../kit/table/table';
import { words } from '../../api/client';
import f from '../../parts/field.module.css';
import { Action, Head, Loaded, Loading, Moment, Nothing } from '../../parts/parts';
import { Present } from '../changes/present';
import { AsOf, Now, Still, type Then, useAt, useThen } from '../desk/as-of';
import d from '../desk/desk.module.css';
import { type Proposal, propose } from '../products/changes';
import type { Value } from '../products/fields';
import s from './content.module.css';
import { Publish } from './publish';
import {
  type Article,
  addPicture,
  contentQueries,
  type PostLine,
  proposalOf,
  type StaffPost,
} from './queries';
import { blogTexts as w } from './texts/ru';
import { Writing } from './writing';

/** The blog, also what is out of sight. */
export function Blog() {
  const at = useAt();
  const then = useThen();
  const found = useQuery(contentQueries.posts(at));
  return (
    <>
      <Head title={w.title} lead={w.lead}>
        <Now>
          <Link to="/admin/blog/new">{w.add}</Link>
        </Now>
      </Head>
      <AsOf />
      <Loaded query={found} what={w.title} loading={<Loading rows={6} height={56} />}>
        {({ results }) => (
          <Table
            caption={w.title}
            columns={columns(then)}
            rows={results}
            rowKey={({ id }) => id}
            empty={<Nothing title={w.none} />}
            cards
          />
        )}
      </Loaded>
    </>
  );
}

const columns = (then: Then): Column<PostLine>[] => [
  {
    key: 'title',
    title: w.postTitle,
    head: true,
    cell: ({ id, title }) => <Link to={then(`/admin/blog/${id}`)}>{title}</Link>,
  },
  { key: 'date', title: w.date, cell: ({ created_at }) => <Moment at={created_at} /> },
  { key: 'shown', title: w.state, cell: ({ published }) => (published ? w.shown : w.hidden) },
];

const nothing: Article = {
  link: '',
  title: '',
  excerpt: '',
  source: '',
  html: '',
  picture: '',
  alt: '',
  photo: null,
};

/** A post, or a new one. */
export function BlogPost() {
  const { id = '' } = useParams();
  const isNew = id === 'new';
  const at = useAt();
  const then = useThen();
  const found = useQuery({ ...contentQueries.post(id, at), enabled: !isNew });
  const all = useQuery(contentQueries.posts());
  const [fresh] = useState(() => crypto.randomUUID());
  const links = new Set((all.data?.results ?? []).filter((one) => one.id !== id).map(({ link }) => link));
  return (
    <>
      <Head title={isNew ? w.add : w.edit}>
        <Link to={then('/admin/blog')}>{w.all}</Link>
      </Head>
      {isNew ? null : <AsOf />}
      {isNew ? (
        <Editor id={fresh} links={links} />
      ) : (
        <Loaded query={found} what={w.title} loading={<Loading rows={4} height={120} />}>
          {(post) => <Editor key={`${post.id} ${at}`} id={post.id} post={post} links={links} />}
        </Loaded>
      )}
    </>
  );
}

const schema = (links: Set<string>) =>
  z.object({
    title: z.string().check(z.trim(), z.minLength(1, { error: () => w.needed }), z.maxLength(300)),
    link: z.string().check(
      z.trim(),
      z.regex(/^[a-z0-9_-]{1,200}$/, { error: () => w.badLink }),
      z.refine((link) => !links.has(link), { error: () => w.taken }),
    ),
    excerpt: z.string().check(z.maxLength(2000)),
    alt: z.string().check(z.maxLength(1000)),
    source: z.string().check(z.minLength(1, { error: () => w.needed })),
  });

const valuesOf = ({ title, link, excerpt, alt, source, html }: Article) => ({
  title,
  link,
  excerpt,
  alt,
  source: source || html,
});

function Editor({ id, post, links }: { id: string; post?: StaffPost; links: Set<string> }) {
  const client = useQueryClient();
  // What the editor began with: what others save meanwhile is not taken for something that was changed here.
  const [was, setWas] = useState(post?.published ? post.article : null);
  const article = post?.article ?? nothing;
  const [cover, setCover] = useState({ picture: article.picture, photo: article.photo });
  const [failed, setFailed] = useState('');
  const [hidden, setHidden] = useState(post ? !post.published : false);
  const form = useForm({ resolver: zodResolver(schema(links)), defaultValues: valuesOf(article) });
  const beginAnew = (next: Article) => {
    setWas(next);
    setCover({ picture: next.picture, photo: next.photo });
    setHidden(false);
    form.reset(valuesOf(next));
  };
  const published = ({ items }: Proposal) =>
    beginAnew(client.getQueryData(contentQueries.post(id).queryKey)?.article ?? (items[0]?.now as Article));
  const { errors, isDirty } = form.formState;
  const item = (now: Article | null): Proposal['items'] => [
    { thing: 'post', id, field: 'article', was: was as Value, now: now as Value },
  ];
  const publish = async (at: string) => {
    let said: Article | undefined;
    await form.handleSubmit((typed) => {
      said = { ...typed, ...cover, html: '' };
    })();
    if (!said) throw new Error(w.wrong);
    return proposalOf(w.changeOf(said.title), item(said), at);
  };
  const take = async (file: File | undefined) => {
    if (!file) return;
    setFailed('');
    try {
      const { src, width, height, sources } = await addPicture(file);
      setCover({
        picture: src,
        photo: width && height ? { width, height, sources: sources ?? [] } : null,
      });
    } catch (error) {
      setFailed(`${file.name}: ${words(error)}`);
    }
  };
  return (
    <form noValidate onSubmit={(event) => event.preventDefault()}>
      {post ? <p className={d.quiet}>{hidden ? w.hidden : w.shown}</p> : null}
      <Now>
        <Present thing="post" id={id} editing={isDirty} />
      </Now>
      <Still name={w.text}>
        <div className={s.fields}>
          <FormField form={form} name="title" label={w.postTitle}>
            {(tied) => <input maxLength={300} {...tied} />}
          </FormField>
          <FormField form={form} name="link" label={w.link} hint={w.linkHint}>
            {(tied) => <input maxLength={200} {...tied} />}
          </FormField>
          <FormField form={form} name="excerpt" label={w.excerpt} required={false}>
            {(tied) => <textarea rows={3} maxLength={2000} {...tied} />}
          </FormField>
          <div>
            {cover.picture ? <img className={s.cover} src={cover.picture} alt={form.watch('alt')} /> : null}
            <label className={f.field}>
              {w.cover}
              <input
                type="file"
                accept="image/jpeg,image/png"
                onChange={({ target }) => void take(target.files?.[0])}
              />
            </label>
            {cover.picture ? (
              <Action onClick={() => setCover({ picture: '', photo: null })}>{w.removeCover}</Action>
            ) : null}
            <p role="alert" className={d.failed}>
              {failed}
            </p>
          </div>
          <FormField form={form} name="alt" label={w.alt} required={false}>
            {(tied) => <input maxLength={1000} {...tied} />}
          </FormField>
        </div>
      </Still>
      <Writing
        label={w.text}
        value={form.watch('source')}
        change={(next) => form.setValue('source', next, { shouldDirty: true })}
      />
      <p role="alert" className={d.failed}>
        {errors.source?.message}
      </p>
      <Now>
        <Publish proposal={publish} published={published}>
          {post && !hidden ? (
            <Action
              onClick={async () => {
                setFailed('');
                try {
                  await propose(proposalOf(w.hideOf(form.getValues('title')), item(null), ''));
                  setHidden(true);
                  setWas(null);
                } catch (error) {
                  setFailed(words(error));
                }
              }}
            >
              {w.hide}
            </Action>
          ) : null}
        </Publish>
      </Now>
    </form>
  );
}
