import { Link } from '../../../kit/design/link';
import type { PostCard as Card } from '../../api/types';
import { Picture } from '../../design/picture';
import { Shortened } from '../../design/shortened';
import { Skeleton } from '../../design/state';
import s from './post-card.module.css';
import { Published } from './published';

/** Sentences of the description before 'read more'. */
const sentences = 3;

/** A post in the list of the blog. */
export function PostCard({ post, eager = false }: { post: Card; eager?: boolean }) {
  return (
    <article className={s.card}>
      <Picture
        className={s.picture}
        picture={post.picture}
        src={post.image}
        alt={post.alt}
        sizes="(width >= 57.5em) 40vw, 92vw"
        eager={eager}
      />
      <div className={s.text}>
        <Published at={post.created_at} />
        <h2 className={s.title} lang="ru">
          <Link to={`/news/${post.link}`}>{post.title}</Link>
        </h2>
        <Shortened text={post.description} sentences={sentences} about={post.title} />
      </div>
    </article>
  );
}

/** A post's place while the list loads. */
export function PostCardSkeleton() {
  return (
    <div className={s.card} aria-hidden="true">
      <div className={s.picture}>
        <Skeleton kind="fill" />
      </div>
      <div className={s.text}>
        <Skeleton width={40} />
        <Skeleton kind="title" />
        <Skeleton />
        <Skeleton width={70} />
      </div>
    </div>
  );
}
