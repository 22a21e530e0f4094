import { useQuery } from '@tanstack/react-query';
import { Problem } from '../../kit/api/problem';
import { ButtonLink } from '../../kit/design/button';
import { useParams } from '../../kit/router/router';
import { Breadcrumbs } from '../design/breadcrumbs';
import { Page } from '../design/layout';
import { Picture } from '../design/picture';
import { LoadError, Skeleton } from '../design/state';
import { Title } from '../design/title';
import { shopName } from '../features/content/shop-name';
import { postQueries } from '../features/post/post-queries';
import { Published } from '../features/post/published';
import { sanitised } from '../features/post/sanitised';
import { designTexts } from '../texts/design';
import { newsTexts } from '../texts/news';
import { NotFound } from './not-found';
import { pictureSizes } from './post.head';
import s from './post.module.css';

const t = newsTexts;

export default function PostPage() {
  const { id = '' } = useParams();
  const { data: post, error, isLoadingError, refetch } = useQuery(postQueries.detail(id));
  if (error instanceof Problem && error.status === 404) return <NotFound />;
  return (
    <Page>
      <Breadcrumbs trail={[{ to: '/news', text: t.title }]} here={post?.title} />
      {isLoadingError ? <LoadError retry={() => refetch()} /> : null}
      {post ? (
        <article className={s.post}>
          <Title text={`${post.title} — ${shopName()}`} description={post.description} />
          <header className={s.head}>
            <h1 lang="ru">{post.title}</h1>
            <Published at={post.created_at} />
          </header>
          {post.picture || post.image ? (
            <Picture
              className={s.picture}
              picture={post.picture}
              src={post.image}
              alt={post.alt}
              sizes={pictureSizes}
              eager
            />
          ) : null}
          <div
            className={s.content}
            lang="ru"
            // biome-ignore lint/security/noDangerouslySetInnerHtml: the shop sanitises a post when it is written
            dangerouslySetInnerHTML={{ __html: sanitised(post.content) }}
          />
          <div>
            <ButtonLink kind="line" to="/news">
              {t.all}
            </ButtonLink>
          </div>
        </article>
      ) : null}
      {post || isLoadingError ? null : (
        <div className={s.post} role="status" aria-label={designTexts.loading}>
          <Skeleton kind="title" />
          <Skeleton width={40} />
          <div className={s.picture}>
            <Skeleton kind="fill" />
          </div>
          <Skeleton />
          <Skeleton />
          <Skeleton width={70} />
        </div>
      )}
    </Page>
  );
}
