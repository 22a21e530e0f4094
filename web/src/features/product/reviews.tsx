import { useState } from 'react';
import type { Product } from '../../api/types';
import { formatDate, formatRating } from '../../design/format';
import { Rating } from '../../design/rating';
import { productTexts } from '../../texts/product';
import s from './reviews.module.css';

const t = productTexts;

/** What buyers say, newest first or only those with photographs, with the shop's replies. */
export function Reviews({ product }: { product: Product }) {
  const [withPhoto, setWithPhoto] = useState(false);
  const shown = withPhoto ? product.reviews.filter((review) => review.images.length > 0) : product.reviews;
  const sorts = [
    { photo: false, text: t.sortNew },
    { photo: true, text: t.sortPhoto },
  ];
  return (
    <div className={s.reviews}>
      <div className={s.score}>
        <h2 id="reviews-title">{t.reviews}</h2>
        {product.reviews_count > 0 ? (
          <>
            <p className={s.mean}>
              <b>{formatRating(product.rating)}</b>
              <span>
                <Rating value={product.rating} />
                <span>
                  {product.reviews_count} {t.reviewsWord(product.reviews_count)}
                </span>
              </span>
            </p>
            <fieldset className={s.sort} aria-label={t.sortReviews}>
              {sorts.map((sort) => (
                <button
                  key={sort.text}
                  type="button"
                  aria-pressed={withPhoto === sort.photo}
                  onClick={() => setWithPhoto(sort.photo)}
                >
                  {sort.text}
                </button>
              ))}
            </fieldset>
          </>
        ) : null}
      </div>
      {shown.length > 0 ? (
        <ol className={s.list}>
          {shown.map((review) => (
            <li key={review.id}>
              <div className={s.head}>
                <b>{review.author}</b>
                <Rating value={review.rating} />
                <time dateTime={review.created_at}>{formatDate(review.created_at)}</time>
              </div>
              <p>{review.content}</p>
              {review.images.length > 0 ? (
                <ul className={s.photos}>
                  {review.images.map((photo) => (
                    <li key={photo.image}>
                      <img src={photo.image} alt="" width="96" height="96" loading="lazy" decoding="async" />
                    </li>
                  ))}
                </ul>
              ) : null}
              {review.admin_reply ? (
                <p className={s.reply}>
                  <b>{t.shopReply}</b>
                  {review.admin_reply}
                </p>
              ) : null}
            </li>
          ))}
        </ol>
      ) : (
        <p>{product.reviews_count > 0 ? t.noPhotoReviews : t.noReviews}</p>
      )}
    </div>
  );
}
