/** The carriers whose pages the shop leads to, by the codes that events and files have; others are named in words. */
const names: Readonly<Record<string, string>> = { kazpost: 'Казпочта', cdek: 'СДЭК', dhl: 'DHL' };

export const carriers = Object.values(names);

/** What people call a carrier. */
export const carrierName = (code: string): string => names[code] ?? code;
