import { useQuery } from '@tanstack/react-query';
import { useLocation } from '../../kit/router/router';
import { Breadcrumbs } from '../design/breadcrumbs';
import { Heading, Page } from '../design/layout';
import { pageOfAddress } from '../design/page-of-address';
import { Pages } from '../design/pages';
import { Empty, LoadError } from '../design/state';
import { Title } from '../design/title';
import { contentQueries } from '../features/content/content-queries';
import { shopName } from '../features/content/shop-name';
import { PostCard, PostCardSkeleton } from '../features/post/post-card';
import { postQueries, postsOnPage } from '../features/post/post-queries';
import { newsTexts } from '../texts/news';
import s from './news.module.css';

const t = newsTexts;

/** The blog, newest first; the page stands in the address. */
export default function NewsPage() {
  const { search } = useLocation();
  const page = pageOfAddress(search);
  const posts = useQuery(postQueries.list(page));
  const shop = useQuery(contentQueries.shop()).data;
  return (
    <Page>
      <Title text={`${t.title} — ${shopName()}`} description={t.lead} />
      <Breadcrumbs trail={[]} here={t.title} />
      <Heading
        title={t.title}
        more={shop?.social_url ? <a href={shop.social_url}>{t.follow(shop.social_name)}</a> : null}
      />
      {posts.isLoadingError ? <LoadError retry={() => posts.refetch()} /> : null}
      {posts.data?.results.length === 0 ? <Empty text={t.empty} /> : null}
      {posts.isLoadingError ? null : (
        <ul className={s.posts} aria-label={t.posts} aria-busy={posts.isPending}>
          {posts.data
            ? posts.data.results.map((post, at) => (
                <li key={post.id}>
                  <PostCard post={post} eager={at === 0} />
                </li>
              ))
            : places}
        </ul>
      )}
      <Pages last={Math.ceil((posts.data?.count ?? 0) / postsOnPage)} current={page} search={search} />
    </Page>
  );
}

const places = Array.from({ length: postsOnPage }, (_, at) => (
  // biome-ignore lint/suspicious/noArrayIndexKey: places have no identity beside their position
  <li key={at}>
    <PostCardSkeleton />
  </li>
));
