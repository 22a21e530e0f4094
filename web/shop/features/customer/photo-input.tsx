import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import type { Profile } from '../../api/types';
import { profileTexts } from '../../texts/account';
import { Avatar } from './avatar';
import s from './profile-form.module.css';
import { maxPhotoBytes, photoTypes } from './profile-schema';

const t = profileTexts;

/** The photo of oneself: the present one, or a preview of the one that was chosen and goes with the next save. */
export function PhotoInput({
  profile,
  photo,
  onPhoto,
}: {
  profile: Profile;
  photo: File | undefined;
  onPhoto: (photo: File | undefined) => void;
}) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [refused, setRefused] = useState('');
  const [preview, setPreview] = useState<string>();
  useEffect(() => {
    if (!photo) return setPreview(undefined);
    const made = URL.createObjectURL(photo);
    setPreview(made);
    return () => URL.revokeObjectURL(made);
  }, [photo]);
  const choose = (file: File | undefined) => {
    if (!file) return;
    const wrong = !photoTypes.includes(file.type)
      ? t.photoType
      : file.size > maxPhotoBytes
        ? t.photoSize
        : '';
    setRefused(wrong);
    onPhoto(wrong ? undefined : file);
  };
  return (
    <div className={s.photo}>
      <Avatar profile={profile} preview={preview} />
      <div>
        <input
          ref={input}
          type="file"
          hidden
          accept={photoTypes.join()}
          aria-label={t.choosePhoto}
          onChange={(event) => {
            choose(event.target.files?.[0]);
            // The same file may be chosen again.
            event.target.value = '';
          }}
        />
        <Button kind="soft" aria-describedby={`${id}-hint`} onClick={() => input.current?.click()}>
          {t.choosePhoto}
        </Button>
        <small id={`${id}-hint`} role="status">
          {photo ? t.photoChosen : t.photoHint}
        </small>
        <FormError>{refused}</FormError>
      </div>
    </div>
  );
}
