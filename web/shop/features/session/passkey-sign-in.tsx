import { useMutation } from '@tanstack/react-query';
import { answer } from '../../../kit/api/answer';
import { Problem } from '../../../kit/api/problem';
import { Button } from '../../../kit/design/button';
import { FormError } from '../../../kit/design/field';
import { askPasskey, hasPasskeys } from '../../../kit/passkey';
import { api } from '../../api/client';
import { session } from '../../api/session';
import { useHydrated } from '../../design/hydrated';
import { passkeyTexts } from '../../texts/session';
import { sentence } from '../form/refusal';

const t = passkeyTexts;

const useSignInByPasskey = () =>
  useMutation({
    mutationFn: async () => {
      const options = await answer(api.POST('/api/token/passkey/options/'));
      const credential = await askPasskey(options);
      return answer(api.POST('/api/token/passkey/', { body: { credential } }));
    },
    onSuccess: ({ id, access }) => session.start({ userId: id, token: access }),
  });

/** Signs in without a password, where the browser can. */
export function PasskeySignIn() {
  const signIn = useSignInByPasskey();
  if (!useHydrated() || !hasPasskeys()) return null;
  return (
    <>
      <Button kind="line" disabled={signIn.isPending} onClick={() => signIn.mutate()}>
        {t.signIn}
      </Button>
      {signIn.isError ? (
        <FormError>{signIn.error instanceof Problem ? sentence(signIn.error) : t.left}</FormError>
      ) : null}
    </>
  );
}
