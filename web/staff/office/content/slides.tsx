import f from '../../parts/field.module.css';
import { PictureList } from '../desk/pictures';
import { addPicture, type Slide } from './queries';
import { slideTexts as w } from './texts/ru';

/** The slides of the home page: a picture, what it says to those who do not see it, and where it leads. */
export function Slides({ slides, change }: { slides: Slide[]; change: (next: Slide[]) => void }) {
  return (
    <PictureList
      pictures={slides}
      change={change}
      src={({ file }) => file}
      alt={({ alt }) => alt}
      upload={async (file): Promise<Slide> => ({ url: '', file: (await addPicture(file)).src, alt: '' })}
      texts={w}
      wide
      fields={({ alt, url }, at, put) => (
        <>
          <label className={f.field}>
            {w.alt(at + 1)}
            <input value={alt ?? ''} maxLength={1000} onChange={({ target }) => put({ alt: target.value })} />
          </label>
          <label className={f.field}>
            {w.url(at + 1)}
            <input
              value={url}
              maxLength={1000}
              onChange={({ target }) => put({ url: target.value.trim() })}
            />
          </label>
        </>
      )}
    />
  );
}
