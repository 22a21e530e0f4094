import type { Profile } from '../../api/types';
import s from './avatar.module.css';

/** The customer's photo, or the first letters of their name. */
export function Avatar({
  profile: { first_name, last_name, info },
  preview,
}: {
  profile: Profile;
  /** A photo that is chosen and not sent yet. */
  preview?: string;
}) {
  const address = preview ?? info.profile_image;
  return (
    <span className={s.avatar}>
      {address ? (
        <img src={address} alt="" width="144" height="144" />
      ) : (
        <span aria-hidden="true">{first_name.slice(0, 1) + last_name.slice(0, 1)}</span>
      )}
    </span>
  );
}
