import { useEffect, useId, useRef, useState } from 'react';
import { Button, IconButton } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import type { Message } from '../../../kit/design/message';
import { reviewTexts } from '../../texts/review';
import s from './photo-choice.module.css';
import { maxPhotoBytes, maxPhotos, photoTypes } from './review-schema';

const t = reviewTexts;
const megabytes = maxPhotoBytes >> 20;

/** Photographs to send: chosen in one go or one by one, previewed, and each taken back with one click. */
export function PhotoChoice({
  photos,
  onPhotos,
  error,
}: {
  photos: File[];
  onPhotos: (photos: File[]) => void;
  /** What the server said of them. */
  error?: Message;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState<string[]>([]);

  const choose = (files: File[]) => {
    const said: string[] = [];
    const good = files.filter((file) => {
      if (!photoTypes.includes(file.type)) said.push(t.photoType(file.name));
      else if (file.size > maxPhotoBytes) said.push(t.photoSize(file.name, megabytes));
      else return true;
      return false;
    });
    const all = [...photos, ...good];
    if (all.length > maxPhotos) said.push(t.photosMost(maxPhotos));
    setRefused(said);
    onPhotos(all.slice(0, maxPhotos));
  };

  return (
    <div className={s.choice}>
      {photos.length > 0 ? (
        <ul className={s.photos} aria-label={t.chosen}>
          {photos.map((photo, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be chosen twice
            <li key={`${photo.name} ${at}`}>
              <Preview photo={photo} />
              <IconButton
                icon="close"
                size={20}
                label={t.removePhoto(photo.name)}
                onClick={() => {
                  setRefused([]);
                  onPhotos(photos.filter((one) => one !== photo));
                  input.current?.nextElementSibling?.querySelector('button')?.focus();
                }}
              />
            </li>
          ))}
        </ul>
      ) : null}
      <input
        ref={input}
        id={id}
        type="file"
        accept={photoTypes.join()}
        multiple
        hidden
        aria-label={t.addPhotos}
        onChange={(event) => {
          choose([...(event.target.files ?? [])]);
          // The same file may be chosen again after it was taken back.
          event.target.value = '';
        }}
      />
      <div className={s.add}>
        <Button
          kind="soft"
          aria-describedby={`${id}-hint`}
          disabled={photos.length >= maxPhotos}
          onClick={() => input.current?.click()}
        >
          {t.addPhotos}
        </Button>
        <small id={`${id}-hint`}>{t.photosHint(maxPhotos, megabytes)}</small>
      </div>
      <FormError>{refused.join('. ') || error}</FormError>
    </div>
  );
}

function Preview({ photo }: { photo: File }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(photo);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [photo]);
  return <img src={address} alt={photo.name} width="96" height="96" />;
}
