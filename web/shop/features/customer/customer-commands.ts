import { useMutation } from '@tanstack/react-query';
import { answer, done } from '../../../kit/api/answer';
import { api } from '../../api/client';
import { session } from '../../api/session';
import type { ProfileChange } from '../../api/types';
import { customerQueries } from './customer-queries';

export const useChangeProfile = () =>
  useMutation({
    mutationFn: (body: ProfileChange) => answer(api.PATCH('/api/auth/profile/', { body })),
    onSuccess: (profile, _change, _context, { client }) =>
      client.setQueryData(customerQueries.profile(session.get()).queryKey, profile),
  });

/** Shows a photo of oneself in place of the present one. */
export const useSetPhoto = () =>
  useMutation({
    mutationFn: (photo: File) => {
      const form = new FormData();
      form.append('profile_image', photo);
      return answer(
        api.POST('/api/auth/profile/photo/', {
          body: { profile_image: photo.name },
          bodySerializer: () => form,
        }),
      );
    },
    onSuccess: (profile, _photo, _result, { client }) =>
      client.setQueryData(customerQueries.profile(session.get()).queryKey, profile),
  });

/** Sends the letter that proves the e-mail once more. */
export const useMailLink = () =>
  useMutation({ mutationFn: () => done(api.POST('/api/auth/profile/email/')) });

/** Everything the shop holds of the person, as a file to keep. */
export const useExport = () =>
  useMutation({
    mutationFn: async () => {
      const all = await answer(api.GET('/api/auth/profile/export/'));
      return new Blob([JSON.stringify(all, null, 2)], { type: 'application/json' });
    },
  });

/** Shuts the account; the server then forgets the person. */
export const useLeave = () =>
  useMutation({
    mutationFn: (password: string) => answer(api.DELETE('/api/auth/profile/', { body: { password } })),
    onSuccess: () => session.leave(),
  });
