import { posix } from 'node:path';

/** Where the pages of the site come from: path in the repository, without an ending for generated ones, and path on the site. */
export type PagePaths = ReadonlyMap<string, string>;

const LINK = /(!?)\[((?:[^\]\\]|\\.)*)\]\(([^)\s]+)\)/gu;

/**
 * Rewrites the links of a page: those to other pages lead to their place on the site, and those to files that are not on the site become
 * text, because the site does not know where the repository is.
 *
 * @param file path of the page in the repository
 */
export function rewriteLinks(text: string, file: string, pages: PagePaths): string {
  const own = pages.get(file) ?? file;
  const rewrite = (all: string, mark: string, label: string, target: string): string => {
    if (mark === '!' || target.startsWith('#') || /^[a-z][a-z0-9+.-]*:/iu.test(target)) return all;
    const [path = '', anchor] = target.split('#');
    const page = pages.get(posix.normalize(posix.join(posix.dirname(file), path)));
    if (page === undefined) return label;
    const relative = posix.relative(posix.dirname(own), page);
    return `[${label}](${relative.startsWith('.') ? relative : `./${relative}`}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  return outsideOfCode(text, (part) => part.replaceAll(LINK, rewrite).replaceAll(/<!--[\s\S]*?-->\n?/gu, ''));
}

/** Applies a change to the parts of a page that are not blocks of code. */
function outsideOfCode(text: string, change: (part: string) => string): string {
  return text
    .split(/(^```[\s\S]*?^```$)/mu)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}
