import type { Review } from '../../api/types';
import { formatDate } from '../../design/format';
import { Rating } from '../../design/rating';
import { productTexts } from '../../texts/product';
import s from './reviews.module.css';

const t = productTexts;

/** A photograph of a review, by its place. */
export type Seen = { review: Review; at: number };

/** Reviews in the order given, with photographs to be seen large. */
export function ReviewList({ reviews, see }: { reviews: readonly Review[]; see: (photo: Seen) => void }) {
  return (
    <ol className={s.list}>
      {reviews.map((review) => (
        <li key={review.id}>
          <div className={s.head}>
            <b>{review.author}</b>
            <Rating value={review.rating} />
            <time dateTime={review.created_at}>{formatDate(review.created_at)}</time>
          </div>
          <p lang="ru">{review.content}</p>
          {review.images.length > 0 ? (
            <ul className={s.photos}>
              {review.images.map((photo, at) => (
                <li key={photo.image}>
                  <button
                    type="button"
                    aria-haspopup="dialog"
                    aria-label={t.openPhoto(review.author, at + 1, review.images.length)}
                    onClick={() => see({ review, at })}
                  >
                    <img
                      src={photo.image}
                      srcSet={photo.picture.sources[0]?.srcset}
                      sizes="96px"
                      alt=""
                      width="96"
                      height="96"
                      loading="lazy"
                      decoding="async"
                    />
                  </button>
                </li>
              ))}
            </ul>
          ) : null}
          {review.admin_reply ? (
            <p className={s.reply}>
              <b>{t.shopReply}</b>
              <span lang="ru">{review.admin_reply}</span>
            </p>
          ) : null}
        </li>
      ))}
    </ol>
  );
}
