/**
 * Where what has been typed at the checkout is kept for this tab: the way back from a bank page that refused must not cost the shopper the
 * whole form. It goes with the tab, with an order that is placed and, where that is due, paid, and at the sign-out.
 */
export const draftKey = 'dala.checkout';

/** Apart from the rest of the draft, so that whoever forgets it need not load the form's schema. */
export function forgetDraft(): void {
  try {
    sessionStorage.removeItem(draftKey);
  } catch {
    // Nothing was stored.
  }
}
