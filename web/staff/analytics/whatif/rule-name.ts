import { whatIfTexts } from '../texts/ru';

/** What the form calls a rule that the server names by its path, such as tiers[0].percent; an unknown path stays as it is. */
export function ruleName(path: string): string {
  const [, list = '', index = '', field = ''] =
    /^(tiers|delivery)(?:\[(\d+)\])?(?:\.([a-z_]+))?$/.exec(path) ?? [];
  const at = Number(index) + 1;
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
  if (list && index && !field) return `${names[list]}, ${at}`;
  return names[list ? (field ? `${list}.${field}` : list) : path] ?? whatIfTexts.rules[path] ?? path;
}
