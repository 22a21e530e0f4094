import type { CheckoutForm } from './checkout-schema';

/**
 * What has been typed, kept for this tab: the way back from a bank page that refused must not cost the shopper the
 * whole form. It goes with the tab, and with an order that is placed and, where that is due, paid.
 */
const storageKey = 'dala.checkout';

/** The draft over an empty form; the empty form when there is none. */
export function loadDraft(emptyForm: CheckoutForm): CheckoutForm {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return emptyForm;
    const draft = { ...emptyForm };
    for (const [key, value] of Object.entries(stored)) {
      const field = key as keyof CheckoutForm;
      if (field in draft && typeof value === typeof draft[field]) Object.assign(draft, { [field]: value });
    }
    if (draft.delivery_type !== 'PICKUP') draft.delivery_type = 'DELIVERY';
    if (draft.payment_method !== 'CASH') draft.payment_method = 'CARD';
    return draft;
  } catch {
    return emptyForm;
  }
}

export function saveDraft(form: CheckoutForm): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(form));
  } catch {
    // Without storage the draft lives as long as the page.
  }
}

export function forgetDraft(): void {
  try {
    sessionStorage.removeItem(storageKey);
  } catch {
    // Nothing was stored.
  }
}
