import { useState } from 'react';
import { onDemand } from '../../../kit/design/on-demand';
import f from '../../parts/field.module.css';
import { Action } from '../../parts/parts';
import { PictureList } from '../desk/pictures';
import { addPicture, type Picture } from './sheet';
import { editorTexts as w } from './texts/ru';

const Crop = onDemand(() => import('./crop'));

/** The pictures of a product, told to those who do not see them in both languages. */
export function Pictures({
  article,
  pictures,
  change,
}: {
  article: string;
  pictures: Picture[];
  change: (next: Picture[]) => void;
}) {
  const [cropped, setCropped] = useState<Picture>();
  return (
    <>
      <PictureList
        pictures={pictures}
        change={change}
        src={({ src }) => src}
        alt={({ alt }) => alt}
        upload={(file) => addPicture(article, file)}
        texts={{ add: w.addPictures, earlier: w.earlier, later: w.later, remove: w.removePicture }}
        acts={(picture, at) => (
          <Action aria-label={w.cropPicture(at + 1)} onClick={() => setCropped(picture)}>
            {w.crop}
          </Action>
        )}
        fields={({ alt, alt_kk }, at, put) => (
          <>
            <label className={f.field}>
              {w.alt(at + 1)}
              <input
                value={alt ?? ''}
                maxLength={300}
                onChange={({ target }) => put({ alt: target.value })}
              />
            </label>
            <label className={f.field}>
              {w.altKazakh(at + 1)}
              <input
                lang="kk"
                value={alt_kk ?? ''}
                maxLength={300}
                onChange={({ target }) => put({ alt_kk: target.value })}
              />
            </label>
          </>
        )}
      />
      {cropped ? (
        <Crop
          picture={cropped}
          upload={(file) => addPicture(article, file)}
          done={(next) => change(pictures.map((one) => (one.src === cropped.src ? next : one)))}
          close={() => setCropped(undefined)}
        />
      ) : null}
    </>
  );
}
