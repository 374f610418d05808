/** The entities that models write. Others stay as they are. */
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries<string>({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    rarr: '→',
    larr: '←',
    times: '×',
    copy: '©',
    bull: '•',
  }),
);
const ENTITY = /&(?:#(?<decimal>\d{1,7})|#x(?<hex>[\da-f]{1,6})|(?<name>[a-z]{2,8}));/giu;
const LAST_CODE = 0x10ffff;

/** Replaces HTML entities by their characters. These may be control characters: the painter makes them visible. */
export function decodeEntities(text: string): string {
  return text.replace(ENTITY, (whole: string, ...rest: unknown[]) => {
    const { decimal, hex, name } = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    if (name !== undefined) return NAMED.get(name) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return code > 0 && code <= LAST_CODE && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole;
  });
}
