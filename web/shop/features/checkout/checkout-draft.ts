import { draftKey } from '../../api/draft';
import { bonusChoices, type CheckoutForm, paymentMethods } from './checkout-schema';

/** The draft over a form as it begins; what the draft leaves empty is as in the beginning. */
export function loadDraft(begin: CheckoutForm): CheckoutForm {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(draftKey) ?? 'null');
    if (typeof stored !== 'object' || stored === null) return begin;
    const draft = { ...begin };
    for (const [key, value] of Object.entries(stored)) {
      const field = key as keyof CheckoutForm;
      if (value !== '' && field in draft && typeof value === typeof draft[field])
        Object.assign(draft, { [field]: value });
    }
    if (draft.delivery_type !== 'PICKUP') draft.delivery_type = 'DELIVERY';
    if (!paymentMethods.includes(draft.payment_method)) draft.payment_method = 'CARD';
    if (!bonusChoices.includes(draft.bonus)) draft.bonus = 'none';
    return draft;
  } catch {
    return begin;
  }
}

export function saveDraft(form: CheckoutForm): void {
  try {
    sessionStorage.setItem(draftKey, JSON.stringify(form));
  } catch {
    // Without storage the draft lives as long as the page.
  }
}
