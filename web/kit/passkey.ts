/** Whether this browser has passkeys for this address: they belong to a name, not to a number. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential !== 'undefined' && !/^[\d.]+$|:/.test(location.hostname);

// What speaks to the authenticator comes when it is used.
const browser = () => import('@simplewebauthn/browser');

/** Has the authenticator make a passkey; the answer goes to the server. It fails when the person leaves the dialog. */
export async function makePasskey(options: object): Promise<Record<string, unknown>> {
  const { startRegistration } = await browser();
  return { ...(await startRegistration({ optionsJSON: options as never })) };
}

/** Has the authenticator answer with a passkey. It fails when the person leaves the dialog. */
export async function askPasskey(options: object): Promise<Record<string, unknown>> {
  const { startAuthentication } = await browser();
  return { ...(await startAuthentication({ optionsJSON: options as never })) };
}
