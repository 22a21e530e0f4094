import { useState } from 'react';
import { IconButton } from '../../../kit/design/button';
import { Dialog } from '../../../kit/design/dialog';
import type { Review } from '../../api/types';
import { sliderTexts } from '../../texts/design';
import { reviewTexts } from '../../texts/review';
import s from './photo-viewer.module.css';

const t = reviewTexts;

/** The photographs of a review, one at a time and as large as the screen allows. */
export default function PhotoViewer({
  review,
  at: first,
  onClose,
}: {
  review: Review;
  at: number;
  onClose: () => void;
}) {
  const [at, setAt] = useState(first);
  const photo = review.images[at] ?? review.images[0];
  if (!photo) return null;
  const of = review.images.length;
  const turn = (by: 1 | -1) => setAt((at + by + of) % of);
  return (
    <Dialog open onClose={onClose} label={t.photos(review.author)} place="wide">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys repeat what the two buttons do */}
      <div
        className={s.viewer}
        onKeyDown={(event) => {
          if (of === 1) return;
          if (event.key === 'ArrowLeft') turn(-1);
          if (event.key === 'ArrowRight') turn(1);
        }}
      >
        <img
          key={photo.image}
          className={s.photo}
          src={photo.image}
          srcSet={photo.picture.sources[0]?.srcset}
          sizes="min(896px, 100vw - 64px)"
          width={photo.picture.width}
          height={photo.picture.height}
          alt={t.photo(review.author, at + 1, of)}
        />
        <div className={s.row}>
          {of > 1 ? (
            <>
              <IconButton icon="left" label={sliderTexts.back} onClick={() => turn(-1)} />
              <span aria-live="polite">{t.place(at + 1, of)}</span>
              <IconButton icon="right" label={sliderTexts.forward} onClick={() => turn(1)} />
            </>
          ) : null}
          <IconButton className={s.close} icon="close" label={t.close} data-close="" />
        </div>
      </div>
    </Dialog>
  );
}
