import { inRussian } from '../../kit/texts/catalogue';
import { shopName } from '../features/content/shop-name';
import { postQueries } from '../features/post/post-queries';
import { newsTexts } from '../texts/news';
import { absolute, type HeadOf, pictureOf, preloadOf, titled, trail } from './head';

/** How wide the page shows the post's picture. */
export const pictureSizes = 'min(1040px, 92vw)';

export const head: HeadOf = ({ params: { id = '' }, origin, read }) => {
  const post = read(postQueries.detail(id).queryKey);
  if (!post) return { missing: true };
  const path = `/news/${encodeURIComponent(post.link)}`;
  if (post.link !== id) return { moved: path };
  const url = origin + path;
  const picture = pictureOf(post.picture, post.image);
  return {
    title: titled(post.title),
    description: post.description,
    path,
    picture,
    kind: 'article',
    facts: [
      {
        '@type': 'BlogPosting',
        headline: post.title,
        description: post.description,
        datePublished: post.created_at,
        url,
        mainEntityOfPage: url,
        publisher: { '@type': 'Organization', name: shopName(), url: `${origin}/` },
        ...(picture ? { image: absolute(origin, picture.src) } : {}),
      },
      trail(origin, [
        { name: inRussian(newsTexts).title, path: '/news' },
        { name: post.title, path },
      ]),
    ],
    preloads: preloadOf(post.picture, pictureSizes),
  };
};
