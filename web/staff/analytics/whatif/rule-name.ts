import { whatIfTexts } from '../texts/ru';

/** What the form calls a rule that the server names by its path, such as tiers[0].percent; an unknown path stays as it is. */
export function ruleName(path: string): string {
  const at = 1 + Number(/\[(\d+)\]/.exec(path)?.[1] ?? 0);
  const names: Record<string, string> = {
    tiers: whatIfTexts.tiersTitle,
    'tiers.from': whatIfTexts.tierFrom(at),
    'tiers.percent': whatIfTexts.tierPercent(at),
    delivery: whatIfTexts.deliveryTitle,
    'delivery.city': whatIfTexts.cityName(at),
    'delivery.aliases': whatIfTexts.cityAliases(at),
    'delivery.price': whatIfTexts.cityPrice(at),
    'delivery.free_from': whatIfTexts.cityFree(at),
    reviews_moderated: whatIfTexts.reviewsWait,
    promocode_proof: whatIfTexts.promocodeProof,
    approval_below_cost: whatIfTexts.approvalBelowCost,
    approval_rules: whatIfTexts.approvalRules,
  };
  const rule = path.replace(/\[\d+\]/, '');
  const name = names[rule] ?? whatIfTexts.rules[rule];
  if (!name) return path;
  return path.endsWith(']') ? `${name}, ${at}` : name;
}
